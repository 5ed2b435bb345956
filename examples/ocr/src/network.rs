use std::sync::{Arc, LazyLock};

use tract_onnx::pb::ModelProto;
use tract_onnx::pb::tensor_proto::DataType;
use tract_onnx::prelude::tract_ndarray::{Array4, ArrayD, ArrayView4, Axis, Zip};
use tract_onnx::prelude::*;

/// A network that looks at pictures, any number at a time.
pub(crate) struct Network {
    model: Arc<TypedRunnableModel>,
    light: Light,
}

/// A network that models have in common; or why there is none.
pub(crate) type Shared = LazyLock<Result<Network, String>>;

/// What a network takes for no light and for one step of it, in each of its planes; a pixel is from 0 to 1.
pub(crate) struct Light {
    pub(crate) means: [f32; 3],
    pub(crate) deviations: [f32; 3],
}

impl Light {
    /// From -1 to 1.
    pub(crate) const EVEN: Self = Self {
        means: [0.5; 3],
        deviations: [0.5; 3],
    };
}

impl Network {
    /// Reads a network for pictures of a height and a width, each a number or some number's multiple.
    ///
    /// # Errors
    ///
    /// What is wrong with its file, or that it is not to be had.
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
            // Without that nobody knows that three steps back and one forth are as long as two back.
            symbols.add_assertion(format!("{name} >= 1"))?;
        }
        let any = |name: &str| symbols.sym(name).to_dim();
        let [height, width] = size(&any);
        let fact = f32::fact([any("pictures"), 3.to_dim(), height, width]);
        let network = network.with_input_fact(0, fact.into())?;
        let model = network.into_optimized()?.into_runnable()?;
        Ok(Self { model, light })
    }

    /// What it says of pictures: their pixels are red, green and blue.
    pub(crate) fn look(&self, pictures: ArrayView4<u8>) -> TractResult<ArrayD<f32>> {
        let planes = Tensor::from(self.planes(pictures)).into_tvalue();
        let outputs = self.model.run(tvec![planes])?;
        let output = outputs.into_iter().next();
        let output = output.ok_or_else(|| TractError::msg("the network has no output"))?;
        output.into_tensor().into_plain_array()
    }

    /// The networks have learned from planes of blue, green and red, in this order.
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

/// PaddlePaddle counts the elements of dimensions in 32 bits. tract takes such a number for that of one picture, and only one
/// of 64 bits for that of any.
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
