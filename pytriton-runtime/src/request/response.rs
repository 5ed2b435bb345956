use std::sync::Arc;

use crate::memory_budget::MemoryPermit;
use crate::tensor::Tensor;

use super::{Few, Parameters};

/// The outputs that one request asked for.
#[derive(Debug, Clone, Default)]
pub struct Response {
    /// The indices of the model's outputs and their tensors, in the model's order.
    pub outputs: Few<(usize, Tensor)>,
    /// What the function says beside them.
    pub parameters: Parameters,
    /// What reserves its parameters; its tensors carry their reservations themselves.
    pub held: Option<Arc<MemoryPermit>>,
}

impl Response {
    /// A response without parameters.
    pub fn new(outputs: Few<(usize, Tensor)>) -> Self {
        Self {
            outputs,
            parameters: Parameters::default(),
            held: None,
        }
    }

    /// The bytes of all its tensors.
    pub fn bytes(&self) -> usize {
        let tensors = self.outputs.iter();
        tensors.map(|(_, tensor)| tensor.data().len()).sum()
    }
}

impl PartialEq for Response {
    /// Whether they say the same, wherever they are counted.
    fn eq(&self, other: &Self) -> bool {
        self.outputs == other.outputs && self.parameters == other.parameters
    }
}
