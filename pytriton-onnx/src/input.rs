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
                let mut bytes = Vec::with_capacity(array.len() * size_of::<T>());
                for element in &array {
                    bytes.extend_from_slice(bytemuck::bytes_of(element));
                }
                Cow::Owned(bytes)
            }
        };
        Self {
            datatype: T::DATATYPE,
            shape: array.shape().to_vec(),
            bytes,
        }
    }
}
