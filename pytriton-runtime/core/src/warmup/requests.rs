use std::sync::Arc;

use crate::memory_budget::MemoryPermit;
use crate::model::{ModelSpec, TensorSpec, Warmup, WarmupData, WarmupInput};
use crate::request::{InferInput, InferRequest, Request, Sequence};
use crate::tensor::element_count;
use crate::uncounted::Uncounted;

use super::WarmupError;
use super::file;
use super::random::Random;
use super::rows::Rows;

/// Returns the requests of a warm-up, each with one row. For a sequence model each request is a
/// complete sequence.
///
/// # Errors
///
/// Returns [`WarmupError`] if a file cannot be read, or a request does not match the model.
pub fn requests(spec: &Arc<ModelSpec>, warmup: &Warmup) -> Result<Vec<Request>, WarmupError> {
    let mut inputs = Vec::new();
    for tensor in &spec.inputs {
        if let Some(input) = warmup.find(&tensor.name) {
            inputs.push((tensor, rows(spec, warmup, input, tensor)?));
        }
    }
    let requests = 0..warmup.batch_size;
    let requests = requests.map(|number| {
        let row = usize::try_from(number).unwrap_or_default();
        let inputs = inputs.iter();
        let sequence = Sequence::new(u64::from(number) + 1);
        let sequence = sequence.map(|sequence| sequence.start(true).end(true));
        let request = InferRequest {
            inputs: inputs
                .map(|(tensor, rows)| infer_input(spec, tensor, rows, row))
                .collect(),
            sequence: sequence.filter(|_| spec.sequence_batching().is_some()),
            ..InferRequest::new(MemoryPermit::uncounted(Uncounted::OwnInputs))
        };
        Ok(Request::check(spec, request)?)
    });
    requests.collect()
}

fn rows(
    spec: &ModelSpec,
    warmup: &Warmup,
    input: &WarmupInput,
    tensor: &TensorSpec,
) -> Result<Rows, WarmupError> {
    let dims = || input.dims_of(tensor).unwrap_or_default();
    match &input.data {
        WarmupData::File(path) => file::rows(path, input, tensor, spec.batching()),
        WarmupData::Zero => {
            let dims = dims();
            // An empty `BYTES` element consists of its length only.
            let size = tensor.datatype.size().unwrap_or(size_of::<u32>());
            let bytes = element_count(&dims)?.saturating_mul(size);
            Ok(Rows::of(dims, vec![0; bytes]))
        }
        WarmupData::Random => {
            let dims = dims();
            let count = element_count(&dims)?;
            let mut random = Random::of(&tensor.name);
            let rows = (0..warmup.batch_size).map(|_| random.elements(tensor.datatype, count));
            let rows = rows.map(Into::into).collect();
            Ok(Rows { dims, rows })
        }
    }
}

fn infer_input(spec: &ModelSpec, tensor: &TensorSpec, rows: &Rows, row: usize) -> InferInput {
    let batch_axis = spec.batching().then_some(1);
    let dims = batch_axis.into_iter().chain(rows.dims.iter().copied());
    let dims = dims.map(|dim| i64::try_from(dim).unwrap_or(i64::MAX));
    InferInput {
        name: tensor.name.to_string(),
        datatype: tensor.datatype,
        shape: dims.collect(),
        data: rows.row(row),
    }
}
