use std::sync::Arc;

use crate::memory_budget::MemoryPermit;
use crate::tracked_tensor::TrackedTensor;

use super::{Parameters, SmallVec};

/// The response to one request.
#[derive(Debug, Clone, Default)]
pub struct Response {
    /// The indexes and tensors of the requested outputs, in the order of the model.
    pub outputs: SmallVec<(usize, TrackedTensor)>,
    /// The response parameters.
    pub parameters: Parameters,
    /// The memory reservation of the parameters. The tensors have their own.
    pub held: Option<Arc<MemoryPermit>>,
}

impl Response {
    /// Creates a response without parameters.
    pub fn new(outputs: SmallVec<(usize, TrackedTensor)>) -> Self {
        Self::with_parameters(outputs, Parameters::default())
    }

    pub(crate) fn with_parameters(
        outputs: SmallVec<(usize, TrackedTensor)>,
        parameters: Parameters,
    ) -> Self {
        Self {
            outputs,
            parameters,
            held: None,
        }
    }

    /// Returns the total size of the tensors in bytes.
    pub fn bytes(&self) -> usize {
        let tensors = self.outputs.iter();
        tensors.map(|(_, tensor)| tensor.data().len()).sum()
    }
}

impl PartialEq for Response {
    /// Compares the contents, regardless of reservations.
    fn eq(&self, other: &Self) -> bool {
        self.outputs == other.outputs && self.parameters == other.parameters
    }
}
