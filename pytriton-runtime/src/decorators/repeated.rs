use crate::tensor::{AlignedBuffer, Tensor, TensorError, shape_text};
use crate::tracked_bytes::TrackedBytes;

use super::{Batch, StepError};

/// So many bytes a tensor has at most to which a step has added: what clients send is bounded, what is made of it is too.
pub(super) const MOST_PADDED: usize = 1 << 30;

/// For the input of that index, a tensor of `shape` whose bytes are those of `before` and then, so many times, those of `row`.
/// They are counted before they are there, and as long as they are.
pub(super) fn repeated(
    batch: &Batch<'_>,
    input: usize,
    shape: Vec<usize>,
    before: &[u8],
    row: &Tensor,
    times: usize,
) -> Result<Tensor, StepError> {
    let failed = |source| StepError::input(batch.model(), input, source);
    let data = row.data();
    let len = data.len().checked_mul(times);
    let len = len.and_then(|added| added.checked_add(before.len()));
    let Some(len) = len.filter(|&len| len <= MOST_PADDED) else {
        let shape = shape_text(&shape);
        return Err(failed(TensorError::TooLarge { shape }));
    };
    let permit = batch.reserve(len)?;
    let mut buffer = AlignedBuffer::with_capacity(len, 0);
    buffer.extend_from_slice(before);
    for _ in 0..times {
        buffer.extend_from_slice(data);
    }
    let bytes = match permit {
        Some(permit) => TrackedBytes::new(buffer.freeze(), permit).into_bytes(),
        None => buffer.freeze(),
    };
    Tensor::new(row.datatype(), shape, bytes).map_err(failed)
}
