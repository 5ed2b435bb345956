use std::sync::Arc;

use pytriton_protocol::signature::ModelSignature;
use pytriton_protocol::typed::{Returned, read_outputs};

use crate::error::Error;
use crate::model::ModelSpec;
use crate::request::Response;

/// Converts responses to the result type of a model's function.
pub(super) struct ResultReader {
    signature: Arc<ModelSignature>,
    spec: Arc<ModelSpec>,
}

impl ResultReader {
    pub(super) fn new(signature: Arc<ModelSignature>, spec: Arc<ModelSpec>) -> Self {
        Self { signature, spec }
    }

    /// Converts a response.
    pub(super) fn read<O: Returned>(&self, response: &Response) -> Result<O::Typed, Error> {
        let tensor = |name: &str| {
            let index = self.spec.output_index(name)?;
            let mut outputs = response.outputs.iter();
            let (_, tensor) = outputs.find(|(other, _)| *other == index)?;
            Some(tensor)
        };
        read_outputs::<O>(&self.signature.outputs, tensor)
            .map_err(|(output, source)| Error::internal(format!("output '{output}': {source}")))
    }
}
