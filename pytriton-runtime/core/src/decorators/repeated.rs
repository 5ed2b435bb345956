use crate::memory_budget::MemoryPermit;
use crate::tensor::{AlignedBuffer, Tensor, TensorError, shape_text};
use crate::tracked_bytes::TrackedBytes;
use crate::tracked_tensor::TrackedTensor;

use super::{Batch, StepError};

/// The maximum size in bytes of a tensor that a step extends. Requests have a size limit, and so
/// does data derived from them.
pub(super) const MAX_PADDED_BYTES: usize = 1 << 30;

/// Builds a tensor of `shape` for an input: the bytes of `before`, followed by `times` repetitions
/// of the bytes of `row`. Its memory is reserved first.
pub(super) fn repeated(
    batch: &Batch<'_>,
    input: usize,
    shape: Vec<usize>,
    before: &[u8],
    row: &Tensor,
    times: usize,
) -> Result<TrackedTensor, StepError> {
    let failed = |source| StepError::input(batch.model(), input, source);
    let data = row.data();
    let len = data.len().checked_mul(times);
    let len = len.and_then(|added| added.checked_add(before.len()));
    let Some(len) = len.filter(|&len| len <= MAX_PADDED_BYTES) else {
        let shape = shape_text(&shape);
        return Err(failed(TensorError::TooLarge { shape }));
    };
    let mut permit = MemoryPermit::within(batch.budget());
    permit.grow(len)?;
    let mut buffer = AlignedBuffer::with_capacity(len, 0);
    buffer.extend_from_slice(before);
    for _ in 0..times {
        buffer.extend_from_slice(data);
    }
    let bytes = TrackedBytes::new(buffer.freeze(), permit)?;
    TrackedTensor::of_bytes(row.datatype(), shape, bytes).map_err(failed)
}
