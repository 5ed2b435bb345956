use std::borrow::Cow;

use ndarray::{Array, ArrayView, CowArray, Dimension};

use super::{Element, Tensor, TensorError, shape_text};

/// A tensor as an array: a view of its bytes where they are aligned for `T`, a copy otherwise.
pub(crate) fn array<T: Element, D: Dimension>(
    tensor: &Tensor,
) -> Result<CowArray<'_, T, D>, TensorError> {
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
    // A tensor's elements are as many as its shape says, so that only an overflow of ndarray's own can make this fail.
    match elements {
        Cow::Borrowed(elements) => ArrayView::from_shape(shape, elements)
            .map(CowArray::from)
            .map_err(|_| rank()),
        Cow::Owned(elements) => Array::from_shape_vec(shape, elements)
            .map(CowArray::from)
            .map_err(|_| rank()),
    }
}
