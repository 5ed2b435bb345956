use ::bytes::Bytes;

use crate::tensor::{AlignedBuffer, DataType, Tensor, TensorError, shape_text};

/// So many bytes a tensor has at most to which a step has added: what clients send is bounded, what is made of it is too.
pub(super) const MOST_PADDED: usize = 1 << 30;

/// A tensor of `shape` whose bytes are those of `before` and then, so many times, those of `row`.
pub(super) fn repeated(
    datatype: DataType,
    shape: Vec<usize>,
    before: &[u8],
    row: &Bytes,
    times: usize,
) -> Result<Tensor, TensorError> {
    let len = row.len().checked_mul(times);
    let len = len.and_then(|added| added.checked_add(before.len()));
    let Some(len) = len.filter(|&len| len <= MOST_PADDED) else {
        return Err(TensorError::TooLarge {
            shape: shape_text(&shape),
        });
    };
    let mut buffer = AlignedBuffer::with_capacity(len, 0);
    buffer.extend_from_slice(before);
    for _ in 0..times {
        buffer.extend_from_slice(row);
    }
    Tensor::new(datatype, shape, buffer.freeze())
}
