//! The tensors of requests and responses according to a model's signature.

use pytriton_signature::TensorSignature;

use crate::tensor::{Tensor, TensorError};

use super::{Returned, Tensors};

/// Converts the tensors of a response. `tensor` returns the tensor of an output by name.
///
/// # Errors
///
/// Returns the name of the output that is missing or has another type, and the error.
pub fn read_outputs<'s, 't, O: Returned>(
    outputs: &'s [TensorSignature],
    tensor: impl Fn(&str) -> Option<&'t Tensor>,
) -> Result<O::Typed, (&'s str, TensorError)> {
    read_outputs_within::<O>(outputs, tensor, &mut |_| true)
}

/// Like [`read_outputs`]. Before an array is created, `reserve` is called with its maximum memory in
/// bytes, and returns whether that is available.
///
/// # Errors
///
/// As [`read_outputs`], and [`TensorError::TooLarge`] if the memory is not available.
pub fn read_outputs_within<'s, 't, O: Returned>(
    outputs: &'s [TensorSignature],
    tensor: impl Fn(&str) -> Option<&'t Tensor>,
    reserve: &mut dyn FnMut(usize) -> bool,
) -> Result<O::Typed, (&'s str, TensorError)> {
    let found = outputs.iter().map(|output| tensor(&output.name));
    let found: Vec<Option<&Tensor>> = found.collect();
    let mut tensors = Tensors::new(&found, reserve);
    O::read(&mut tensors).map_err(|source| {
        let last = outputs.get(tensors.read().saturating_sub(1));
        (last.map_or("", |output| &output.name), source)
    })
}

/// Returns the shape of an input whose value, or row, is repeated for each row.
pub fn repeated_shape(input: &TensorSignature, row: &Tensor, rows: usize) -> Vec<usize> {
    let ones = vec![1; input.dims.len()];
    let dims = match row.shape() {
        [] => &ones,
        dims => dims,
    };
    [&[rows], dims].concat()
}
