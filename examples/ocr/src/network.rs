use std::sync::{Arc, LazyLock};

use tract_onnx::pb::ModelProto;
use tract_onnx::pb::tensor_proto::DataType;
use tract_onnx::prelude::tract_ndarray::{Array4, ArrayD, ArrayView4, Axis, Zip};
use tract_onnx::prelude::*;

/// A network for pictures, with any batch size.
pub(crate) struct Network {
    model: Arc<TypedRunnableModel>,
    light: Light,
}

/// A network that several models share, or the error of loading it.
pub(crate) type Shared = LazyLock<Result<Network, String>>;

/// The mean and the deviation of each colour plane in the training data; a pixel is from 0 to 1.
pub(crate) struct Light {
    pub(crate) means: [f32; 3],
    pub(crate) deviations: [f32; 3],
}

impl Light {
    /// Maps pixels to the range from -1 to 1.
    pub(crate) const EVEN: Self = Self {
        means: [0.5; 3],
        deviations: [0.5; 3],
    };
}

impl Network {
    /// Reads a network for pictures of a height and a width. Each is a number or the multiple of a
    /// number.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is missing or invalid.
    pub(crate) fn load(
        file: &str,
        light: Light,
        size: impl FnOnce(&dyn Fn(&str) -> TDim) -> [TDim; 2],
    ) -> Result<Self, String> {
        Self::read(file, light, size).map_err(|error| format!("{file}: {error:#}"))
    }

    fn read(
        file: &str,
        light: Light,
        size: impl FnOnce(&dyn Fn(&str) -> TDim) -> [TDim; 2],
    ) -> TractResult<Self> {
        let path = weights::PP_OCR.folder()?.join("assets").join(file);
        let mut file = onnx().proto_model_for_path(path)?;
        count_in_64_bits(&mut file);
        let network = onnx().model_for_proto_model(&file)?;
        let symbols = network.symbols.clone();
        for name in ["pictures", "height", "width"] {
            // Without this assertion, tract cannot simplify the lengths that the strides produce.
            symbols.add_assertion(format!("{name} >= 1"))?;
        }
        let any = |name: &str| symbols.sym(name).to_dim();
        let [height, width] = size(&any);
        let fact = f32::fact([any("pictures"), 3.to_dim(), height, width]);
        let network = network.with_input_fact(0, fact.into())?;
        let model = network.into_optimized()?.into_runnable()?;
        Ok(Self { model, light })
    }

    /// Returns the output for pictures, whose pixels are red, green and blue.
    pub(crate) fn look(&self, pictures: ArrayView4<u8>) -> TractResult<ArrayD<f32>> {
        let planes = Tensor::from(self.planes(pictures)).into_tvalue();
        let outputs = self.model.run(tvec![planes])?;
        let output = outputs.into_iter().next();
        let output = output.ok_or_else(|| TractError::msg("the network has no output"))?;
        output.into_tensor().into_plain_array()
    }

    /// The networks were trained with the planes in the order blue, green, red.
    fn planes(&self, pictures: ArrayView4<u8>) -> Array4<f32> {
        let (count, height, width, _) = pictures.dim();
        let mut planes = Array4::zeros((count, 3, height, width));
        let Light { means, deviations } = &self.light;
        let levels = means.iter().zip(deviations);
        for (number, (mut plane, (mean, deviation))) in
            planes.axis_iter_mut(Axis(1)).zip(levels).enumerate()
        {
            let colour = pictures.index_axis(Axis(3), 2 - number);
            Zip::from(&mut plane).and(colour).for_each(|light, &pixel| {
                *light = (f32::from(pixel) / 255.0 - mean) / deviation;
            });
        }
        planes
    }
}

/// PaddlePaddle casts dimensions to 32-bit integers. tract treats a 32-bit number as constant, and
/// keeps only a 64-bit number symbolic, for any number of pictures.
fn count_in_64_bits(file: &mut ModelProto) {
    let nodes = file.graph.iter_mut().flat_map(|graph| &mut graph.node);
    for cast in nodes.filter(|node| node.op_type == "Cast") {
        for to in &mut cast.attribute {
            if to.i == DataType::Int32 as i64 {
                to.i = DataType::Int64 as i64;
            }
        }
    }
}
