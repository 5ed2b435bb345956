use crate::tensor::Tensor;

/// The outputs that one request asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// The indices of the model's outputs and their tensors, in the model's order.
    pub outputs: Vec<(usize, Tensor)>,
}

impl Response {
    /// The bytes of all its tensors.
    pub fn bytes(&self) -> usize {
        let tensors = self.outputs.iter();
        tensors.map(|(_, tensor)| tensor.data().len()).sum()
    }
}
