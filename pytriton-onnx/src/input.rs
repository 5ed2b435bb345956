use std::borrow::Cow;

use ndarray::{ArrayView, Dimension};
use pytriton_protocol::tensor::{DataType, Tensor};

use crate::Element;

/// An input of a call: an array or a tensor, which it borrows.
#[derive(Debug, Clone)]
pub struct Input<'a> {
    pub(crate) datatype: DataType,
    pub(crate) shape: Vec<usize>,
    pub(crate) bytes: Cow<'a, [u8]>,
}

impl<'a> From<&'a Tensor> for Input<'a> {
    fn from(tensor: &'a Tensor) -> Self {
        Self {
            datatype: tensor.datatype(),
            shape: tensor.shape().to_vec(),
            bytes: Cow::Borrowed(tensor.data()),
        }
    }
}

/// Copies the elements if the array is not in row-major order.
impl<'a, T: Element, D: Dimension> From<ArrayView<'a, T, D>> for Input<'a> {
    fn from(array: ArrayView<'a, T, D>) -> Self {
        let bytes = match array.to_slice() {
            Some(elements) => Cow::Borrowed(bytemuck::cast_slice(elements)),
            None => {
                let elements: Vec<T> = array.iter().copied().collect();
                Cow::Owned(bytemuck::cast_slice(&elements).to_vec())
            }
        };
        Self {
            datatype: T::DATATYPE,
            shape: array.shape().to_vec(),
            bytes,
        }
    }
}
