use ndarray::{ArcArray, Array, ArrayRef, ArrayView, CowArray, Dimension};
use pytriton_protocol::tensor::{Element, Tensor, TensorError};

/// A type that can be converted to a tensor: an array of any element type, owned (not copied if it
/// is in row-major order) or borrowed, or a [`Tensor`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a tensor of a request",
    label = "not an array",
    note = "pass an array of `ndarray` such as `Array2<f32>` or a reference to one, or a `Tensor`; one that has a name is \
            `(\"name\", array)`"
)]
pub trait IntoTensor {
    /// Converts the value to a tensor.
    ///
    /// # Errors
    ///
    /// Returns [`TensorError`] if an element is too long for its type.
    fn into_tensor(self) -> Result<Tensor, TensorError>;
}

impl IntoTensor for Tensor {
    fn into_tensor(self) -> Result<Tensor, TensorError> {
        Ok(self)
    }
}

impl IntoTensor for &Tensor {
    fn into_tensor(self) -> Result<Tensor, TensorError> {
        Ok(self.clone())
    }
}

impl<T: Element, D: Dimension> IntoTensor for Array<T, D> {
    fn into_tensor(self) -> Result<Tensor, TensorError> {
        Tensor::from_array(self)
    }
}

macro_rules! borrowed {
    ($($array:ty),* $(,)?) => {$(
        impl<T: Element, D: Dimension> IntoTensor for $array {
            fn into_tensor(self) -> Result<Tensor, TensorError> {
                Tensor::from_array(self.as_standard_layout().into_owned())
            }
        }
    )*};
}

borrowed! {
    &Array<T, D>,
    ArrayView<'_, T, D>,
    &ArrayView<'_, T, D>,
    CowArray<'_, T, D>,
    &CowArray<'_, T, D>,
    ArcArray<T, D>,
    &ArcArray<T, D>,
    &ArrayRef<T, D>,
}
