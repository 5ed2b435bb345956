use std::fmt;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use pytriton_protocol::signature::onnx::{Graph, ValueType};
use pytriton_protocol::tensor::{self, DataType};
use tract_onnx::prelude::*;
use tract_onnx::tract_hir::infer::{DimFact, Factoid, ShapeFactoid};

use super::RUNTIME;
use super::datum_type::datum_type;
use super::input_tensor::to_tensor;
use super::proto::Proto;
use super::shape_plans::ShapePlans;
use crate::{Error, Input};

/// A network that tract has optimized.
pub(crate) struct Plan {
    model: Model,
    /// The types of the outputs.
    outputs: Vec<(DataType, DatumType)>,
}

enum Model {
    /// One plan for inputs of any shape.
    AnyShape(Arc<TypedRunnableModel>),
    /// For a network that tract optimizes only with known shapes.
    PerShape(Box<ShapePlans>),
}

impl Plan {
    /// Loads a network; weights in other files are in `folder`.
    pub(crate) fn load(graph: &Graph, file: &[u8], folder: Option<&Path>) -> Result<Self, Error> {
        for input in &graph.inputs {
            datum_type(input)?;
            // tract would take it for a scalar.
            if let ValueType::Tensor { dims: None, .. } = input.ty {
                let message = format!("`{input}` is not supported: export it with a shape");
                return Err(not_loaded(&TractError::msg(message)));
            }
        }
        let outputs = graph.outputs.iter().map(datum_type);
        let outputs = outputs.collect::<Result<_, _>>()?;
        let model = Model::load(file, folder).map_err(|error| not_loaded(&error))?;
        Ok(Self { model, outputs })
    }

    /// Declares axis 0 of all inputs and outputs as a batch.
    pub(crate) fn set_batch(&mut self) -> Result<(), Error> {
        match &mut self.model {
            Model::AnyShape(_) => Ok(()),
            Model::PerShape(plans) => plans.set_batch().map_err(|error| not_loaded(&error)),
        }
    }

    pub(crate) fn run(&self, inputs: &[Input<'_>]) -> Result<Vec<tensor::Tensor>, Error> {
        let outputs = self.computed(inputs).map_err(|error| Error::Run {
            runtime: RUNTIME,
            message: format!("{error:#}"),
        })?;
        let outputs = outputs.into_iter().zip(&self.outputs);
        let outputs = outputs.map(|(output, (datatype, _))| {
            let shape = output.shape().to_vec();
            let bytes = Bytes::from_owner(Buffer(output));
            Ok(tensor::Tensor::new(*datatype, shape, bytes)?)
        });
        outputs.collect()
    }

    fn computed(&self, inputs: &[Input<'_>]) -> TractResult<Vec<Tensor>> {
        let inputs = inputs.iter().map(to_tensor);
        let inputs = inputs.collect::<TractResult<Vec<_>>>()?;
        let outputs = match &self.model {
            Model::AnyShape(model) => run(model, inputs)?,
            Model::PerShape(plans) => plans.run(inputs)?,
        };
        let outputs = outputs.into_iter().zip(&self.outputs);
        let outputs = outputs.map(|(output, (_, datum_type))| {
            // Shapes are symbolic numbers, for example.
            match output.datum_type() == *datum_type {
                true => Ok(output),
                false => Ok(output.cast_to_dt(*datum_type)?.into_owned()),
            }
        });
        outputs.collect()
    }
}

impl Model {
    fn load(file: &[u8], folder: Option<&Path>) -> TractResult<Self> {
        let proto = Proto::decode(file, folder)?;
        let model = proto.parse()?;
        match with_symbols(model.clone()) {
            Ok(model) => Ok(Self::AnyShape(model)),
            Err(error) => match ShapePlans::new(proto, &model)? {
                Some(plans) => Ok(Self::PerShape(Box::new(plans))),
                None => Err(error),
            },
        }
    }
}

fn not_loaded(error: &TractError) -> Error {
    Error::Load {
        runtime: RUNTIME,
        message: format!("{error:#}"),
    }
}

/// Optimizes a network for inputs of any shape.
fn with_symbols(mut model: InferenceModel) -> TractResult<Arc<TypedRunnableModel>> {
    for index in 0..model.inputs.len() {
        let fact = model.input_fact(index)?.clone();
        let dims: Vec<DimFact> = fact.shape.dims().cloned().collect();
        // tract needs a symbol for a dimension of any size.
        let dims = dims.into_iter().map(|dim| match dim.concretize() {
            Some(_) => dim,
            None => DimFact::from(model.symbols.new_with_prefix("any").to_dim()),
        });
        let shape = ShapeFactoid::closed(dims.collect());
        model.set_input_fact(index, fact.with_shape(shape))?;
    }
    model.into_optimized()?.into_runnable()
}

/// Runs a plan, and returns the outputs in memory.
pub(super) fn run(
    model: &Arc<TypedRunnableModel>,
    inputs: Vec<Tensor>,
) -> TractResult<Vec<Tensor>> {
    let inputs = inputs.into_iter().map(IntoTValue::into_tvalue);
    let outputs = model.run(inputs.collect())?.into_iter();
    let outputs = outputs.map(|output| output.into_tensor().into_plain_ram());
    outputs.collect()
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan").finish_non_exhaustive()
    }
}

/// An output whose bytes are shared without a copy.
struct Buffer(Tensor);

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}
