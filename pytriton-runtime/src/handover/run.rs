use std::sync::Arc;

use bytes::Bytes;
use pytriton_backend::wire::{Batch, WireError};

use crate::Error;
use crate::host::Run;
use crate::model::{ModelError, ModelSpec, Response};

use super::requests::{Handover, handover};

/// What became of the requests of a batch, in their order.
pub(crate) type Results = Vec<Result<Response, Error>>;

/// Runs a batch of which there are a description and the bytes of its tensors.
pub(crate) fn run(
    host: &impl Run,
    spec: &Arc<ModelSpec>,
    description: &[u8],
    data: &Bytes,
) -> Result<Results, WireError> {
    let (inputs, outputs) = (spec.inputs.len(), spec.outputs.len());
    let batch = Batch::read(description, data.len(), inputs, outputs)?;
    let results = match handover(spec, &batch, data) {
        Ok(handed) => execute(host, &handed),
        Err(error) => vec![Err(error); batch.requests.len()],
    };
    let results = results.into_iter();
    Ok(results.map(|result| result.map_err(Error::from)).collect())
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

fn execute(host: &impl Run, handed: &Handover) -> Vec<Result<Response, ModelError>> {
    let Handover { requests, stacked } = handed;
    if requests.len() < 2 || !stacked.is_empty() {
        return host.run(requests, stacked).results;
    }
    // tritonserver gathers requests of one shape; where it has no need to look, they may still differ.
    let alike = requests.chunk_by(|one, two| one.stacks_with(two));
    alike
        .flat_map(|requests| host.run(requests, &[]).results)
        .collect()
}
