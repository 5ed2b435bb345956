use pytriton_protocol::tensor::Tensor;

use crate::ClientError;

use super::IntoTensor;

/// One input: an array, or `("name", array)`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an input of a request",
    label = "neither an array nor a name and an array",
    note = "pass an array of `ndarray` such as `Array2<f32>` or a reference to one, or `(\"name\", array)`"
)]
pub trait IntoInput {
    /// Returns the name, if given, and the tensor.
    ///
    /// # Errors
    ///
    /// Returns [`ClientError::Tensor`] if an element is too long for its type.
    fn into_input(self) -> Result<(Option<String>, Tensor), ClientError>;
}

impl<T: IntoTensor> IntoInput for T {
    fn into_input(self) -> Result<(Option<String>, Tensor), ClientError> {
        let tensor = self.into_tensor().map_err(ClientError::tensor(""))?;
        Ok((None, tensor))
    }
}

impl<T: IntoTensor> IntoInput for (&str, T) {
    fn into_input(self) -> Result<(Option<String>, Tensor), ClientError> {
        (self.0.to_owned(), self.1).into_input()
    }
}

impl<T: IntoTensor> IntoInput for (String, T) {
    fn into_input(self) -> Result<(Option<String>, Tensor), ClientError> {
        let (name, tensor) = self;
        let tensor = tensor.into_tensor().map_err(ClientError::tensor(&name))?;
        Ok((Some(name), tensor))
    }
}
