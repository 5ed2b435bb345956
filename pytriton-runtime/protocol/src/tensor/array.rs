use std::borrow::Cow;

use ndarray::{Array, ArrayView, CowArray, Dimension};

use super::{Dims, Element, Tensor, TensorError, shape_text};

impl Tensor {
    /// Creates a tensor from an array, without a copy if the array is in row-major order.
    ///
    /// # Errors
    ///
    /// Returns [`TensorError::ElementTooLong`] for a `BYTES` element of 4 GiB or more.
    pub fn from_array<T: Element, D: Dimension>(array: Array<T, D>) -> Result<Self, TensorError> {
        let shape = Dims::from(array.shape());
        let elements = if array.is_standard_layout() {
            let len = array.len();
            let (mut elements, offset) = array.into_raw_vec_and_offset();
            // The vector of a sliced array also contains the elements outside of the slice.
            elements.truncate(offset.unwrap_or_default().saturating_add(len));
            elements.drain(..offset.unwrap_or_default());
            // The invisible elements would be kept alive without being counted.
            if elements.capacity() / 2 > elements.len() {
                elements.shrink_to_fit();
            }
            elements
        } else {
            array.iter().cloned().collect()
        };
        Self::from_elements(shape, elements)
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
