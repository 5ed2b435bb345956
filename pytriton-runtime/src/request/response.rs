use std::sync::Arc;

use crate::budget::Held;
use crate::tensor::Tensor;

use super::Sequence;

/// The outputs that one request asked for.
#[derive(Debug, Clone, Default)]
pub struct Response {
    /// The indices of the model's outputs and their tensors, in the model's order.
    pub outputs: Sequence<(usize, Tensor)>,
    /// What counts its bytes as held as long as it is there; `None` where nothing does.
    pub held: Option<Arc<Held>>,
}

impl Response {
    /// A response whose bytes nobody counts.
    pub fn new(outputs: Sequence<(usize, Tensor)>) -> Self {
        Self {
            outputs,
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
    /// Whether the outputs are the same, wherever they are counted.
    fn eq(&self, other: &Self) -> bool {
        self.outputs == other.outputs
    }
}
