use crate::tensor::Tensor;

use super::{ModelError, OutputWriter, Outputs, ResponseParts, WithParameters};

/// The outputs of a run-time function. These types are accepted:
///
/// - an array, a tuple of arrays or a struct that derives `Outputs`, in the order of the outputs,
/// - a `Vec<Tensor>`, in the same order,
/// - `Named` outputs, in any order, which may omit optional ones,
/// - [`WithParameters`] of one of these, which adds response parameters.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the response of a model",
    label = "not a response",
    note = "return `Ok(…)` of an owned array such as `Array2<f32>`, a tuple of arrays, `Named` outputs, or a `Vec<Tensor>`"
)]
pub trait IntoOutputs {
    /// Converts the value to the tensor of each output, in the order of the model, and response
    /// parameters.
    ///
    /// # Errors
    ///
    /// Returns a [`ModelError`] that names the output, or [`ModelError::Budget`] if its memory
    /// cannot be reserved.
    fn into_parts(self, writer: OutputWriter<'_>) -> Result<ResponseParts, ModelError>;
}

#[diagnostic::do_not_recommend]
impl<O: Outputs> IntoOutputs for O {
    fn into_parts(self, writer: OutputWriter<'_>) -> Result<ResponseParts, ModelError> {
        Outputs::into_parts(self, writer)
    }
}

impl IntoOutputs for Vec<Tensor> {
    fn into_parts(self, mut writer: OutputWriter<'_>) -> Result<ResponseParts, ModelError> {
        for tensor in self {
            writer.tensor(tensor);
        }
        writer.finish()
    }
}

impl IntoOutputs for WithParameters<Vec<Tensor>> {
    fn into_parts(self, writer: OutputWriter<'_>) -> Result<ResponseParts, ModelError> {
        self.parts(writer, IntoOutputs::into_parts)
    }
}
