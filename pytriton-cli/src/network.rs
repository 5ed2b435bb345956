use std::path::Path;

use pytriton::runtime_models::{
    Function, FunctionCall, Input, Model, Output, PerBatch, PerRequest, StackedUnit,
};
use pytriton::{Error, Tensor, num_cpus};
use pytriton_onnx::{BatchAxisError, ModelSignature, Session, with_rank};

use crate::error::ServeError;

/// The network of a file, with its signature as a model.
#[derive(Debug)]
pub(crate) struct Network {
    session: Session,
    signature: ModelSignature,
}

impl Network {
    /// Loads the network of a file. `batching` declares that axis 0 is the batch.
    pub(crate) fn open(path: &Path, batching: bool) -> Result<Self, ServeError> {
        let name = path.file_stem().ok_or_else(|| ServeError::NoName {
            path: path.to_owned(),
        })?;
        let load = |source| ServeError::Load {
            path: path.to_owned(),
            source,
        };
        let mut session = Session::open(path).map_err(load)?;
        let batching = batching || session.graph().batch_axis().is_ok();
        if batching {
            session = session.with_batch_axis().map_err(load)?;
        }
        let signature = session.graph();
        let signature = signature.signature(&name.to_string_lossy(), u32::from(batching));
        let signature = signature.map_err(|errors| ServeError::Values {
            path: path.to_owned(),
            errors,
        })?;
        Ok(Self { session, signature })
    }

    /// Returns the reason why requests are not batched, if they are not.
    pub(crate) fn batching(&self) -> Result<(), BatchAxisError> {
        match self.signature.batching() {
            true => Ok(()),
            false => self.session.graph().batch_axis(),
        }
    }

    /// Returns the model. Each processor has an instance, because a call uses one processor.
    pub(crate) fn model(&self) -> Model {
        let signature = &self.signature;
        let mut model = Model::new(&*signature.name).instances(num_cpus());
        if !signature.batching() {
            model = model.batching(false);
        }
        for input in &signature.inputs {
            model = model.input(Input::of(input.datatype, &*input.name, &*input.dims));
        }
        for output in &signature.outputs {
            model = model.output(Output::of(output.datatype, &*output.name, &*output.dims));
        }
        model
    }

    /// Returns the function. Its instances share the session.
    pub(crate) fn into_function(self) -> Function {
        let Self { session, signature } = self;
        let axes = usize::from(signature.batching());
        let ranks = signature
            .outputs
            .iter()
            .map(|output| output.dims.len() + axes);
        let ranks: Vec<usize> = ranks.collect();
        match signature.batching() {
            true => Function::new(PerBatch, move |call| run(&session, &call, &ranks)),
            false => Function::new(PerRequest, move |call| run(&session, &call, &ranks)),
        }
    }
}

/// Runs the network, and returns outputs with these ranks.
fn run<U: StackedUnit>(
    session: &Session,
    call: &FunctionCall<'_, U>,
    ranks: &[usize],
) -> Result<Vec<Tensor>, Error> {
    let inputs: Vec<_> = call.iter().map(|(_, tensor)| tensor.into()).collect();
    let outputs = session.run(&inputs);
    let outputs = outputs.map_err(|error| match error.is_invalid_argument() {
        true => Error::invalid_argument(error),
        false => {
            error.log(&call.context().model().name);
            Error::internal(error)
        }
    })?;
    let outputs = outputs.into_iter().zip(ranks);
    let outputs = outputs.map(|(output, rank)| Ok(with_rank(output, *rank)?));
    outputs.collect()
}
