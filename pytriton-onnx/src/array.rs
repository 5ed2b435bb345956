use ndarray::{Array, CowArray, Dimension};
use pytriton_protocol::tensor::{self, Element, Tensor, TensorError};

use crate::Error;

/// Returns an output as an array, see [`with_rank`].
///
/// # Errors
///
/// Returns [`Error::Output`] if the output has another element type or number of dimensions.
pub fn array<T: Element, D: Dimension>(output: &Tensor) -> Result<Array<T, D>, Error> {
    let rank = D::NDIM.unwrap_or(output.shape().len());
    let output = with_rank(output.clone(), rank)?;
    Ok(tensor::array::<T, D>(&output).map(CowArray::into_owned)?)
}

/// Returns an output with a last dimension of 1, if it has one dimension less than `rank`. In the
/// signature of a model, a tensor without a dimension of its own has this one.
///
/// # Errors
///
/// Returns a [`TensorError`] if the shape has more elements than memory.
pub fn with_rank(output: Tensor, rank: usize) -> Result<Tensor, TensorError> {
    match rank == output.shape().len() + 1 {
        true => output.reshaped([output.shape(), &[1]].concat()),
        false => Ok(output),
    }
}
