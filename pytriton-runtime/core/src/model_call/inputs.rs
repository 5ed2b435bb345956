use std::sync::Arc;

use bytes::Bytes;
use pytriton_protocol::signature::{ModelSignature, TensorSignature};
use pytriton_protocol::typed::repeated_shape;

use crate::error::Error;
use crate::memory_budget::MemoryPermit;
use crate::model::ModelSpec;
use crate::request::{InferInput, RequestError, RequestId};
use crate::tensor::{Tensor, TensorError};

/// Returns the inputs of a request. A value for all rows is repeated for each row. `memory` is the
/// reservation of arguments that were copied, and becomes that of all inputs.
///
/// # Errors
///
/// Returns an error of the kind `InvalidArgument` for an invalid argument, or `Unavailable` if the
/// memory cannot be reserved.
pub(super) fn named(
    signature: &ModelSignature,
    spec: &Arc<ModelSpec>,
    arguments: Vec<Result<Option<Tensor>, TensorError>>,
    memory: &mut MemoryPermit,
) -> Result<Vec<InferInput>, Error> {
    let mut given = Vec::with_capacity(arguments.len());
    for (input, tensor) in signature.inputs.iter().zip(arguments) {
        let tensor = tensor.map_err(|source| {
            Error::invalid_argument(format!("input '{}': {source}", input.name))
        })?;
        given.extend(tensor.map(|tensor| (input, tensor)));
    }
    let mut rows = given.iter().filter(|(input, _)| !input.first_value);
    let rows = rows.next().map_or(1, |(_, tensor)| tensor.rows());
    let repeats = |input: &TensorSignature| match input.first_value && signature.batching() {
        true => rows,
        false => 1,
    };
    if spec.batching() && rows > spec.max_batch_size as usize {
        // Before anything is allocated for each row.
        return Err(Error::invalid_argument(RequestError::BatchSize {
            request: RequestId(String::new()),
            model: Arc::clone(&spec.name),
            max: spec.max_batch_size,
        }));
    }
    let bytes = given.iter().map(|(input, tensor)| {
        let data = tensor.data().len().saturating_mul(repeats(input));
        size_of::<InferInput>() + input.name.len() + data
    });
    let reserved = memory.resize(bytes.fold(0, usize::saturating_add));
    reserved.map_err(Error::unavailable)?;
    let inputs = given.into_iter().map(|(input, tensor)| {
        let (shape, data) = match input.first_value && signature.batching() {
            true => repeated(input, &tensor, rows),
            false => (tensor.shape().to_vec(), tensor.data().clone()),
        };
        let dims = shape
            .into_iter()
            .map(|size| i64::try_from(size).unwrap_or(i64::MAX));
        InferInput {
            name: input.name.clone(),
            datatype: tensor.datatype(),
            shape: dims.collect(),
            data,
        }
    });
    Ok(inputs.collect())
}

/// Repeats one value or one row for each row.
fn repeated(input: &TensorSignature, row: &Tensor, rows: usize) -> (Vec<usize>, Bytes) {
    let data = match rows {
        1 => row.data().clone(),
        _ => row.data().repeat(rows).into(),
    };
    (repeated_shape(input, row, rows), data)
}
