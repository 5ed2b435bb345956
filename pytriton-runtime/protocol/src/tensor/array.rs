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
    let rank = || TensorError::Rank {
        expected: D::NDIM.unwrap_or_default(),
        shape: shape_text(tensor.shape()),
    };
    let elements = tensor.elements::<T>()?;
    let sizes = tensor.shape();
    if D::NDIM.is_some_and(|rank| rank != sizes.len()) {
        return Err(rank());
    }
    let mut shape = D::zeros(sizes.len());
    shape.slice_mut().copy_from_slice(sizes);
    // The number of elements matches the shape, so this fails only on an overflow within ndarray.
    match elements {
        Cow::Borrowed(elements) => ArrayView::from_shape(shape, elements)
            .map(CowArray::from)
            .map_err(|_| rank()),
        Cow::Owned(elements) => Array::from_shape_vec(shape, elements)
            .map(CowArray::from)
            .map_err(|_| rank()),
    }
}

#[cfg(test)]
mod tests {
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
        assert_eq!(array::<i32, Ix1>(&tensor), Err(expected));
    }
}
