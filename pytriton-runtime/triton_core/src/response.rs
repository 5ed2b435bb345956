use pytriton_core::memory_budget::MIN_TRACKED_BYTES;
use pytriton_core::request::Parameters;
use pytriton_core::tracked_tensor::TrackedTensor;

use crate::CoreError;

/// The maximum size of what a small output needs in addition to its data: the padding of its
/// buffer, its owners and its shape.
const OUTPUT_OVERHEAD_BYTES: usize = 256;

/// A response of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct CoreResponse {
    /// The name of the model.
    pub model_name: String,
    /// The version of the model that has responded.
    pub model_version: i64,
    /// The ID of the request.
    pub id: String,
    /// The parameters of the response.
    pub parameters: Parameters,
    /// The names and tensors of the outputs. The tensors are the buffers that the backend has
    /// filled.
    pub outputs: Vec<(String, TrackedTensor)>,
}

/// A response, or the end of the responses, or both.
#[derive(Debug, Clone, PartialEq)]
pub struct ResponseEvent {
    /// The response; `None` if a model with any number of responses only reports their end.
    pub response: Option<Result<CoreResponse, CoreError>>,
    /// Whether no further response follows.
    pub is_final: bool,
}

impl CoreResponse {
    /// Returns an output.
    pub fn output(&self, name: &str) -> Option<&TrackedTensor> {
        let mut outputs = self.outputs.iter();
        outputs.find_map(|(known, tensor)| (known == name).then_some(tensor))
    }
}

impl ResponseEvent {
    /// An error that ends the responses.
    pub(crate) fn failed(error: CoreError) -> Self {
        Self {
            response: Some(Err(error)),
            is_final: true,
        }
    }

    /// Returns the approximate memory without the tensors that carry a reservation.
    pub(crate) fn unreserved_bytes(&self) -> usize {
        let content = match &self.response {
            Some(Ok(response)) => {
                let outputs = response.outputs.iter().map(|(name, tensor)| {
                    let data = tensor.data().len();
                    let small = match data < MIN_TRACKED_BYTES {
                        true => data + OUTPUT_OVERHEAD_BYTES,
                        false => 0,
                    };
                    name.len() + small + size_of::<(String, TrackedTensor)>()
                });
                let texts = response.model_name.len() + response.id.len();
                texts + response.parameters.bytes() + outputs.sum::<usize>()
            }
            Some(Err(CoreError::Triton { message, .. })) => message.len(),
            Some(Err(_)) | None => 0,
        };
        size_of::<Self>() + content
    }
}
