use std::sync::Arc;

use bytes::Bytes;
use pytriton_backend::wire::{Batch, WireError};

use crate::Error;
use crate::host::Host;
use crate::model::{Instance, ModelError, ModelSpec, Response};

use super::requests::{Handover, handover};

/// What became of the requests of a batch, in their order.
pub(crate) type Results = Vec<Result<Response, Error>>;

/// Whatever runs batches of one model.
pub(crate) trait Run {
    /// Runs a batch, of which nothing is left when it returns.
    fn run(&self, handed: Handover) -> Results;
}

impl<I: Instance + ?Sized> Run for Host<I> {
    fn run(&self, handed: Handover) -> Results {
        self.block_on(execute(self, &handed))
    }
}

/// Runs a batch of which there are a description and the bytes of its tensors.
pub(crate) fn run(
    host: &impl Run,
    spec: &Arc<ModelSpec>,
    description: &[u8],
    data: &Bytes,
) -> Result<Results, WireError> {
    let (inputs, outputs) = (spec.inputs.len(), spec.outputs.len());
    let batch = Batch::read(description, data.len(), inputs, outputs)?;
    match handover(spec, &batch, data) {
        Ok(handed) => Ok(host.run(handed)),
        Err(error) => Ok(vec![Err(error.into()); batch.requests.len()]),
    }
}

/// Refuses all requests of a batch.
pub(crate) fn refuse(
    spec: &ModelSpec,
    description: &[u8],
    data: &Bytes,
    error: &Error,
) -> Result<Results, WireError> {
    let (inputs, outputs) = (spec.inputs.len(), spec.outputs.len());
    let batch = Batch::read(description, data.len(), inputs, outputs)?;
    Ok(vec![Err(error.clone()); batch.requests.len()])
}

/// Executes a batch on an instance.
pub(super) async fn execute<I: Instance + ?Sized>(host: &Host<I>, handed: &Handover) -> Results {
    let Handover { requests, stacked } = handed;
    let mut results: Vec<Result<Response, ModelError>> = Vec::with_capacity(requests.len());
    if requests.len() < 2 || !stacked.is_empty() {
        results = host.execute(requests, stacked).await.results;
    } else {
        // tritonserver gathers requests of one shape; where it has no need to look, they may still differ.
        for alike in requests.chunk_by(|one, two| one.stacks_with(two)) {
            results.extend(host.execute(alike, &[]).await.results);
        }
    }
    let results = results.into_iter();
    results.map(|result| result.map_err(Error::from)).collect()
}
