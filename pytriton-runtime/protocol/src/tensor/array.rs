use std::borrow::Cow;

use ndarray::{Array, ArrayView, CowArray, Dimension};

use super::element::encode_array;
use super::{Dims, Element, Tensor, TensorError, element_count, shape_text};

impl Tensor {
    /// Creates a tensor from an array, without a copy if the array is in row-major order.
    ///
    /// # Errors
    ///
    /// Returns [`TensorError::ElementTooLong`] for a `BYTES` element of 4 GiB or more.
    pub fn from_array<T: Element, D: Dimension>(array: Array<T, D>) -> Result<Self, TensorError> {
        let shape = Dims::from(array.shape());
        let data = encode_array(array)?;
        Ok(Self::from_checked(T::DATATYPE, shape, data))
    }

    /// Like [`from_array`](Self::from_array), with an empty element for each that cannot be
    /// encoded. The first error of each row of axis 0 is appended to `errors`. `reserve` is that of
    /// [`Element::encode_lossy`].
    ///
    /// # Errors
    ///
    /// Returns the error of `reserve`.
    pub fn from_array_lossy<T: Element, D: Dimension, E>(
        array: Array<T, D>,
        errors: &mut Vec<TensorError>,
        reserve: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Self, E> {
        let shape = Dims::from(array.shape());
        let row = array.shape().get(1..).unwrap_or_default();
        let row_elements = element_count(row).unwrap_or(usize::MAX);
        let data = T::encode_lossy(array, row_elements, errors, reserve)?;
        Ok(Self::from_checked(T::DATATYPE, shape, data))
    }
}

/// Converts a tensor to an array: a view of its bytes if they are aligned for `T`, otherwise a
/// copy.
///
/// # Errors
///
/// Returns a [`TensorError`] if the tensor has another datatype or rank.
pub fn array<T: Element, D: Dimension>(tensor: &Tensor) -> Result<CowArray<'_, T, D>, TensorError> {
    let elements = tensor.elements::<T>()?;
    let shape = shape::<D>(tensor)?;
    // The number of elements matches the shape, so this fails only on an overflow within ndarray.
    match elements {
        Cow::Borrowed(elements) => ArrayView::from_shape(shape, elements)
            .map(CowArray::from)
            .map_err(|_| rank_error::<D>(tensor)),
        Cow::Owned(elements) => Array::from_shape_vec(shape, elements)
            .map(CowArray::from)
            .map_err(|_| rank_error::<D>(tensor)),
    }
}

/// Converts a tensor to a view of its bytes if they are aligned for `T`, otherwise of a copy that
/// `keep` stores.
///
/// # Errors
///
/// As [`array()`].
pub fn array_view<'t, T: Element, D: Dimension>(
    tensor: &'t Tensor,
    keep: impl FnOnce(Vec<T>) -> &'t [T],
) -> Result<ArrayView<'t, T, D>, TensorError> {
    let elements = tensor.elements::<T>()?;
    let shape = shape::<D>(tensor)?;
    let elements = match elements {
        Cow::Borrowed(elements) => elements,
        Cow::Owned(elements) => keep(elements),
    };
    ArrayView::from_shape(shape, elements).map_err(|_| rank_error::<D>(tensor))
}

/// Returns the shape of the array for a tensor.
fn shape<D: Dimension>(tensor: &Tensor) -> Result<D, TensorError> {
    let sizes = tensor.shape();
    if D::NDIM.is_some_and(|rank| rank != sizes.len()) {
        return Err(rank_error::<D>(tensor));
    }
    let mut shape = D::zeros(sizes.len());
    shape.slice_mut().copy_from_slice(sizes);
    Ok(shape)
}

fn rank_error<D: Dimension>(tensor: &Tensor) -> TensorError {
    TensorError::Rank {
        expected: D::NDIM.unwrap_or_default(),
        shape: shape_text(tensor.shape()),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::OnceCell;

    use ndarray::{Ix1, Ix2, IxDyn, array as rows};

    use super::*;

    #[test]
    fn an_array_is_converted_in_row_major_order_and_back() {
        let array_of = |tensor: &Tensor| array::<i32, Ix2>(tensor).map(CowArray::into_owned);
        let given = rows![[1, 2, 3], [4, 5, 6]];
        let tensor = Tensor::from_array(given.clone()).unwrap();
        assert_eq!(array_of(&tensor), Ok(given.clone()));
        let transposed = Tensor::from_array(given.clone().reversed_axes()).unwrap();
        assert_eq!(transposed.shape(), [3, 2]);
        assert_eq!(
            transposed.elements::<i32>().unwrap(),
            vec![1, 4, 2, 5, 3, 6]
        );
        assert_eq!(array_of(&transposed), Ok(given.reversed_axes()));
        assert!(array::<i32, IxDyn>(&tensor).is_ok());
        let expected = TensorError::Rank {
            expected: 1,
            shape: "[2,3]".to_owned(),
        };
        assert_eq!(array::<i32, Ix1>(&tensor), Err(expected.clone()));
        assert_eq!(array_view::<i32, Ix1>(&tensor, |_| &[]), Err(expected));
    }

    #[test]
    fn only_decoded_elements_are_kept() {
        let cell = OnceCell::new();
        let numbers = Tensor::from_array(rows![[1, 2], [3, 4]]).unwrap();
        let view = array_view::<i32, Ix2>(&numbers, |_| &[]);
        assert_eq!(view, Ok(rows![[1, 2], [3, 4]].view()));
        let words = rows!["a".to_owned(), "b".to_owned()];
        let tensor = Tensor::from_array(words.clone()).unwrap();
        let view = array_view::<String, Ix1>(&tensor, |elements| cell.get_or_init(|| elements));
        assert_eq!(view, Ok(words.view()));
        assert_eq!(cell.get().map(Vec::len), Some(2));
    }
}
