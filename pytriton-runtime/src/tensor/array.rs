use std::borrow::Cow;

use ndarray::{Array, ArrayView, CowArray, Dimension, IxDyn};

use super::{Element, Tensor, TensorError, shape_text};

/// A tensor as an array: a view of its bytes where they are aligned for `T`, a copy otherwise.
pub(crate) fn array<T: Element, D: Dimension>(
    tensor: &Tensor,
) -> Result<CowArray<'_, T, D>, TensorError> {
    let rank = || TensorError::Rank {
        expected: D::NDIM.unwrap_or_default(),
        shape: shape_text(tensor.shape()),
    };
    let shape = IxDyn(tensor.shape());
    // A tensor's elements are as many as its shape says, so that only an overflow of ndarray's own can make this fail.
    match tensor.elements::<T>()? {
        Cow::Borrowed(elements) => ArrayView::from_shape(shape, elements)
            .and_then(ArrayView::into_dimensionality)
            .map(CowArray::from)
            .map_err(|_| rank()),
        Cow::Owned(elements) => Array::from_shape_vec(shape, elements)
            .and_then(Array::into_dimensionality)
            .map(CowArray::from)
            .map_err(|_| rank()),
    }
}
