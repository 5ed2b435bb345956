use ndarray::{Array, CowArray, Dimension};
use pytriton_protocol::tensor::{Element, Tensor, TensorError, array, rows};

use crate::{ClientError, ParameterValue};

/// The answer to a request: tensors by their names, in the model's order, and what is said beside them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outputs {
    pub(crate) model_name: String,
    pub(crate) model_version: String,
    pub(crate) id: String,
    pub(crate) parameters: Vec<(String, ParameterValue)>,
    pub(crate) tensors: Vec<(String, Tensor)>,
}

impl Outputs {
    /// The model that answered.
    pub fn model_name(&self) -> &str {
        &self.model_name
    }

    /// Its version.
    pub fn model_version(&self) -> &str {
        &self.model_version
    }

    /// The id of the request.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What was said beside the outputs.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, &ParameterValue)> {
        self.parameters
            .iter()
            .map(|(name, value)| (name.as_str(), value))
    }

    /// One of it.
    pub fn parameter(&self, name: &str) -> Option<&ParameterValue> {
        self.parameters()
            .find(|(other, _)| *other == name)
            .map(|(_, value)| value)
    }

    /// The outputs with their names.
    pub fn tensors(&self) -> impl ExactSizeIterator<Item = (&str, &Tensor)> {
        self.tensors
            .iter()
            .map(|(name, tensor)| (name.as_str(), tensor))
    }

    /// The same, to keep.
    pub fn into_tensors(self) -> Vec<(String, Tensor)> {
        self.tensors
    }

    /// An output.
    pub fn tensor(&self, name: &str) -> Option<&Tensor> {
        self.tensors()
            .find(|(other, _)| *other == name)
            .map(|(_, tensor)| tensor)
    }

    /// An output as an array, which is a view of the answer where that is possible.
    ///
    /// # Errors
    ///
    /// [`ClientError::Tensor`] when there is no such output, or it has another element type or number of dimensions.
    pub fn view<T: Element, D: Dimension>(
        &self,
        name: &str,
    ) -> Result<CowArray<'_, T, D>, ClientError> {
        let tensor = self.tensor(name).ok_or(TensorError::Missing);
        tensor.and_then(array).map_err(ClientError::tensor(name))
    }

    /// An output as an array of its own.
    ///
    /// # Errors
    ///
    /// As [`view`](Self::view).
    pub fn array<T: Element, D: Dimension>(&self, name: &str) -> Result<Array<T, D>, ClientError> {
        self.view(name).map(CowArray::into_owned)
    }

    /// The same for a request of one row, without the batch axis.
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
