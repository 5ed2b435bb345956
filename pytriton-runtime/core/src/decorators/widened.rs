use super::repeated::MAX_PADDED_BYTES;
use crate::tensor::{AlignedBuffer, BytesElements, Tensor, TensorError, element_count, shape_text};

/// Enlarges the dims of a tensor except the first, and fills new positions with `element`.
pub(super) fn widened(
    tensor: &Tensor,
    dims: &[usize],
    element: &[u8],
) -> Result<Tensor, TensorError> {
    let shape = [&[tensor.rows()], dims].concat();
    let len = widened_bytes(tensor, dims, element.len())?;
    let mut buffer = AlignedBuffer::with_capacity(len, 0);
    if element_count(&shape)? > 0 {
        let mut lines = Lines::new(tensor);
        lines.write(&shape, tensor.shape(), element, &mut buffer)?;
    }
    Tensor::new(tensor.datatype(), shape, buffer.freeze())
}

/// Returns the size of the data of [`widened`] in bytes, for elements of `size` bytes.
pub(super) fn widened_bytes(
    tensor: &Tensor,
    dims: &[usize],
    size: usize,
) -> Result<usize, TensorError> {
    let shape = [&[tensor.rows()], dims].concat();
    let count = element_count(&shape)?;
    let added = count.saturating_sub(element_count(tensor.shape())?);
    let len = added.checked_mul(size);
    let len = len.and_then(|added| added.checked_add(tensor.data().len()));
    len.filter(|&len| len <= MAX_PADDED_BYTES)
        .ok_or_else(|| TensorError::TooLarge {
            shape: shape_text(&shape),
        })
}

/// The elements of a tensor that have not been copied yet.
struct Lines<'a> {
    rest: &'a [u8],
    size: Option<usize>,
}

impl<'a> Lines<'a> {
    fn new(tensor: &'a Tensor) -> Self {
        Self {
            rest: tensor.data(),
            size: tensor.datatype().size(),
        }
    }

    /// Copies a block with dims `from` into one with dims `to`.
    fn write(
        &mut self,
        to: &[usize],
        from: &[usize],
        element: &[u8],
        buffer: &mut AlignedBuffer,
    ) -> Result<(), TensorError> {
        let ([length, to @ ..], [own, from @ ..]) = (to, from) else {
            buffer.extend_from_slice(self.take(1)?);
            return Ok(());
        };
        let missing = length.saturating_sub(*own) * to.iter().product::<usize>();
        match to {
            [] => buffer.extend_from_slice(self.take(*own)?),
            _ => (0..*own).try_for_each(|_| self.write(to, from, element, buffer))?,
        }
        for _ in 0..missing {
            buffer.extend_from_slice(element);
        }
        Ok(())
    }

    fn take(&mut self, elements: usize) -> Result<&'a [u8], TensorError> {
        let len = match self.size {
            Some(size) => elements * size,
            None => {
                let mut walk = BytesElements::new(self.rest);
                for _ in 0..elements {
                    walk.next().transpose()?;
                }
                self.rest.len() - walk.rest().len()
            }
        };
        let (taken, rest) = self.rest.split_at(len.min(self.rest.len()));
        self.rest = rest;
        Ok(taken)
    }
}
