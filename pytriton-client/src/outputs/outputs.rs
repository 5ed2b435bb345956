use ndarray::{Array, CowArray, Dimension};
use pytriton_protocol::tensor::{Element, Tensor, TensorError, array, rows};

use crate::{ClientError, ParameterValue};

/// The response to a request: output tensors by name, in the model's order, and response
/// parameters.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outputs {
    pub(crate) model_name: String,
    pub(crate) model_version: String,
    pub(crate) id: String,
    pub(crate) parameters: Vec<(String, ParameterValue)>,
    pub(crate) tensors: Vec<(String, Tensor)>,
}

impl Outputs {
    /// Returns the name of the model.
    pub fn model_name(&self) -> &str {
        &self.model_name
    }

    /// Returns the version of the model, as the server sent it.
    pub fn model_version(&self) -> &str {
        &self.model_version
    }

    /// Returns the request ID.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the response parameters.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, &ParameterValue)> {
        self.parameters
            .iter()
            .map(|(name, value)| (name.as_str(), value))
    }

    /// Returns one response parameter.
    pub fn parameter(&self, name: &str) -> Option<&ParameterValue> {
        self.parameters()
            .find(|(other, _)| *other == name)
            .map(|(_, value)| value)
    }

    /// Returns the outputs with their names.
    pub fn tensors(&self) -> impl ExactSizeIterator<Item = (&str, &Tensor)> {
        self.tensors
            .iter()
            .map(|(name, tensor)| (name.as_str(), tensor))
    }

    /// Returns the owned outputs with their names.
    pub fn into_tensors(self) -> Vec<(String, Tensor)> {
        self.tensors
    }

    /// Returns an output.
    pub fn tensor(&self, name: &str) -> Option<&Tensor> {
        self.tensors()
            .find(|(other, _)| *other == name)
            .map(|(_, tensor)| tensor)
    }

    /// Returns an output as an array, which borrows the response if possible.
    ///
    /// # Errors
    ///
    /// Returns [`ClientError::Tensor`] if there is no such output, or it has another datatype or
    /// rank.
    pub fn view<T: Element, D: Dimension>(
        &self,
        name: &str,
    ) -> Result<CowArray<'_, T, D>, ClientError> {
        let tensor = self.tensor(name).ok_or(TensorError::Missing);
        tensor.and_then(array).map_err(ClientError::tensor(name))
    }

    /// Returns an output as an owned array.
    ///
    /// # Errors
    ///
    /// See [`view`](Self::view).
    pub fn array<T: Element, D: Dimension>(&self, name: &str) -> Result<Array<T, D>, ClientError> {
        self.view(name).map(CowArray::into_owned)
    }

    /// Removes the batch axis of a response to one sample.
    pub(crate) fn first_row(mut self) -> Result<Self, ClientError> {
        for (name, tensor) in &mut self.tensors {
            let first = rows(tensor, 0, 1);
            let first =
                first.and_then(|row| row.reshaped(tensor.shape().get(1..).unwrap_or_default()));
            *tensor = first.map_err(ClientError::tensor(name))?;
        }
        Ok(self)
    }
}
