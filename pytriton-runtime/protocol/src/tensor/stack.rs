use std::ops::Range;

use ::bytes::Bytes;

use super::{AlignedBuffer, BytesElements, Dims, Tensor, TensorError, element_count, shape_text};

/// Concatenates tensors along axis 0.
///
/// A single tensor is returned without a copy.
///
/// # Errors
///
/// Returns a [`TensorError`] if the datatypes or the dimensions after axis 0 differ, if the result
/// is too large, or if there are no tensors.
pub fn stack<'t, I>(tensors: I) -> Result<Tensor, TensorError>
where
    I: IntoIterator<Item = &'t Tensor, IntoIter: Clone>,
{
    let tensors = tensors.into_iter();
    stack_over(tensors.clone(), |len| Ok(concatenate(tensors, len)))
}

/// Concatenates tensors whose bytes are already contiguous in `data`, without a copy.
///
/// # Errors
///
/// Same as [`stack`], and [`TensorError::ByteSize`] if `data` does not have their total length.
pub fn stack_in_place(tensors: &[&Tensor], data: &Bytes) -> Result<Tensor, TensorError> {
    stack_over(tensors.iter().copied(), |expected| {
        if data.len() == expected {
            return Ok(data.clone());
        }
        Err(TensorError::ByteSize {
            datatype: tensors[0].datatype(),
            shape: shape_text(tensors[0].shape()),
            expected,
            got: data.len(),
        })
    })
}

fn stack_over<'t>(
    tensors: impl Iterator<Item = &'t Tensor> + Clone,
    data: impl FnOnce(usize) -> Result<Bytes, TensorError>,
) -> Result<Tensor, TensorError> {
    let mut rest = tensors.clone();
    let Some(first) = rest.next() else {
        return Err(TensorError::TooLarge {
            shape: "[]".to_owned(),
        });
    };
    if rest.clone().next().is_none() {
        return Ok(first.clone());
    }
    let mut rows = first.rows();
    for tensor in rest {
        check_alike(first, tensor)?;
        rows = rows
            .checked_add(tensor.rows())
            .ok_or_else(|| too_large(first))?;
    }
    let mut shape = Dims::from(first.shape());
    match shape.first_mut() {
        Some(axis) => *axis = rows,
        None => shape = Dims::from([rows].as_slice()),
    }
    let mut lens = tensors.map(|tensor| tensor.data().len());
    let len = lens.try_fold(0_usize, |sum, len| sum.checked_add(len));
    let data = data(len.ok_or_else(|| too_large(first))?)?;
    Ok(Tensor::from_checked(first.datatype(), shape, data))
}

/// Splits a tensor along axis 0 into parts with the given numbers of rows. The parts share its
/// bytes.
///
/// # Errors
///
/// Returns [`TensorError::ElementCount`] if the rows do not add up to axis 0.
pub fn split(tensor: &Tensor, rows: &[usize]) -> Result<Vec<Tensor>, TensorError> {
    let total = rows.iter().try_fold(0_usize, |sum, &n| sum.checked_add(n));
    if tensor.shape().is_empty() || total != Some(tensor.rows()) {
        return Err(TensorError::ElementCount {
            shape: shape_text(tensor.shape()),
            expected: tensor.rows(),
            got: total.unwrap_or(usize::MAX),
        });
    }
    let mut parts = Vec::with_capacity(rows.len());
    let mut start = 0;
    for &count in rows {
        let end = part_end(tensor, start, count)?;
        parts.push(row_range(tensor, count, start..end));
        start = end;
    }
    Ok(parts)
}

/// Returns `count` rows of a tensor after its first `skip` rows. They share its bytes.
///
/// # Errors
///
/// Returns [`TensorError::ElementCount`] if the tensor has fewer rows.
pub fn rows(tensor: &Tensor, skip: usize, count: usize) -> Result<Tensor, TensorError> {
    let end = skip.checked_add(count);
    if tensor.shape().is_empty() || end.is_none_or(|end| end > tensor.rows()) {
        return Err(TensorError::ElementCount {
            shape: shape_text(tensor.shape()),
            expected: tensor.rows(),
            got: end.unwrap_or(usize::MAX),
        });
    }
    let start = part_end(tensor, 0, skip)?;
    let end = part_end(tensor, start, count)?;
    Ok(row_range(tensor, count, start..end))
}

/// Returns the `count` rows in a range of a tensor's bytes. They share the bytes. Rows of
/// `BYTES` elements of any size are found without reading the elements before them.
///
/// # Errors
///
/// Returns [`TensorError::ByteSize`] if the tensor has no such bytes, or if `count` rows of a
/// datatype with a fixed size have another size.
pub fn slice_rows(
    tensor: &Tensor,
    count: usize,
    bytes: Range<usize>,
) -> Result<Tensor, TensorError> {
    let all = tensor.data().len();
    let fits = bytes.start <= bytes.end && bytes.end <= all;
    let expected = match tensor.datatype().size() {
        // The other dimensions of an empty tensor can have any size.
        Some(size) if all > 0 => {
            let row_elements: usize = tensor.shape().iter().skip(1).product();
            row_elements.saturating_mul(count).saturating_mul(size)
        }
        _ => bytes.len(),
    };
    if tensor.shape().is_empty() || !fits || bytes.len() != expected {
        return Err(TensorError::ByteSize {
            datatype: tensor.datatype(),
            shape: shape_text(tensor.shape()),
            expected,
            got: bytes.len().min(all),
        });
    }
    Ok(row_range(tensor, count, bytes))
}

fn row_range(tensor: &Tensor, rows: usize, bytes: Range<usize>) -> Tensor {
    let mut shape = Dims::from(tensor.shape());
    shape[0] = rows;
    Tensor::from_checked(tensor.datatype(), shape, tensor.data().slice(bytes))
}

/// Returns the end of `rows` rows that start at the byte `start`.
fn part_end(tensor: &Tensor, start: usize, rows: usize) -> Result<usize, TensorError> {
    // In an empty tensor the other dimensions can have any size, so their product must not be
    // computed.
    if tensor.data().is_empty() {
        return Ok(start);
    }
    // Both products divide the element count of the existing tensor, so they cannot overflow.
    let row_elements: usize = tensor.shape()[1..].iter().product();
    let elements = row_elements * rows;
    if let Some(size) = tensor.datatype().size() {
        return Ok(start + elements * size);
    }
    let mut walk = BytesElements::new(&tensor.data()[start..]);
    for _ in 0..elements {
        walk.next().transpose()?;
    }
    Ok(tensor.data().len() - walk.rest().len())
}

fn check_alike(first: &Tensor, other: &Tensor) -> Result<(), TensorError> {
    if first.datatype() != other.datatype() {
        return Err(TensorError::DataType {
            expected: first.datatype(),
            found: other.datatype(),
        });
    }
    if first.shape().get(1..) != other.shape().get(1..) {
        return Err(TensorError::ElementCount {
            shape: shape_text(other.shape()),
            expected: element_count(first.shape())?,
            got: element_count(other.shape())?,
        });
    }
    Ok(())
}

fn concatenate<'t>(tensors: impl Iterator<Item = &'t Tensor>, len: usize) -> Bytes {
    let mut buffer = AlignedBuffer::with_capacity(len, 0);
    for tensor in tensors {
        buffer.extend_from_slice(tensor.data());
    }
    buffer.freeze()
}

fn too_large(tensor: &Tensor) -> TensorError {
    TensorError::TooLarge {
        shape: shape_text(tensor.shape()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ints(shape: &[usize], elements: &[i32]) -> Tensor {
        Tensor::from_elements(shape.to_vec(), elements.to_vec()).unwrap()
    }

    fn words(shape: &[usize], elements: &[&str]) -> Tensor {
        let elements = elements.iter().map(|word| (*word).to_owned()).collect();
        Tensor::from_elements::<String>(shape.to_vec(), elements).unwrap()
    }

    #[test]
    fn stacked_rows_are_split_again() {
        let parts = [
            ints(&[1, 2], &[1, 2]),
            ints(&[0, 2], &[]),
            ints(&[2, 2], &[3, 4, 5, 6]),
        ];
        let all = stack(parts.iter()).unwrap();
        assert_eq!(all, ints(&[3, 2], &[1, 2, 3, 4, 5, 6]));
        assert_eq!(split(&all, &[1, 0, 2]).unwrap(), parts);

        let parts = [words(&[2], &["", "a"]), words(&[1], &["long\0"])];
        let all = stack(parts.iter()).unwrap();
        assert_eq!(rows(&all, 0, 2).unwrap(), parts[0]);
        assert_eq!(rows(&all, 2, 1).unwrap(), parts[1]);
        assert!(rows(&all, 2, 2).is_err());
        assert_eq!(split(&all, &[2, 1]).unwrap(), parts);
    }

    #[test]
    fn parts_are_found_by_their_bytes() {
        let all = ints(&[3, 2], &[1, 2, 3, 4, 5, 6]);
        assert_eq!(
            slice_rows(&all, 2, 8..24).unwrap(),
            ints(&[2, 2], &[3, 4, 5, 6])
        );
        assert_eq!(slice_rows(&all, 0, 8..8).unwrap(), ints(&[0, 2], &[]));
        let texts = words(&[3], &["", "a", "bc"]);
        assert_eq!(
            slice_rows(&texts, 2, 4..15).unwrap(),
            words(&[2], &["a", "bc"])
        );
        let empty = ints(&[0, usize::MAX, 2], &[]);
        assert_eq!(slice_rows(&empty, 0, 0..0).unwrap(), empty);
        for (count, start, end) in [(1, 8, 24), (2, 8, 28), (2, 16, 8), (0, 28, 28)] {
            assert!(slice_rows(&all, count, Range { start, end }).is_err());
        }
    }

    #[test]
    fn adjacent_rows_are_stacked_in_place() {
        let all = ints(&[3, 2], &[1, 2, 3, 4, 5, 6]);
        let parts = split(&all, &[2, 1]).unwrap();
        let parts: Vec<&Tensor> = parts.iter().collect();
        let stacked = stack_in_place(&parts, all.data()).unwrap();
        assert_eq!(stacked, all);
        assert_eq!(stacked.data().as_ptr(), all.data().as_ptr());
        assert!(stack_in_place(&parts, &all.data().slice(4..)).is_err());
    }

    #[test]
    fn tensors_that_cannot_be_stacked_are_refused() {
        let a = ints(&[1, 2], &[1, 2]);
        assert!(stack([&a, &ints(&[1, 1], &[1])].into_iter()).is_err());
        assert!(stack([&a, &words(&[1, 2], &["", ""])].into_iter()).is_err());
        assert!(stack([].iter()).is_err());
        assert_eq!(stack([&a].into_iter()).unwrap(), a);
        assert!(split(&a, &[2]).is_err());
        assert!(split(&a, &[usize::MAX, 2]).is_err());
    }

    #[test]
    fn an_empty_tensor_of_huge_dimensions_splits() {
        let empty = ints(&[0, usize::MAX, 2], &[]);
        assert_eq!(split(&empty, &[0, 0]).unwrap(), [empty.clone(), empty]);
    }
}
