use pytriton_protocol::proto::ModelStreamInferResponse;
use tonic::Streaming;

use crate::request::Model;
use crate::{ClientError, Outputs, Status};

use super::error::failed;
use super::message;

/// The answers to one request, as they come.
#[derive(Debug)]
pub(crate) struct Answers {
    pub(super) messages: Streaming<ModelStreamInferResponse>,
    pub(super) model: Model,
}

impl Answers {
    /// The next one; `None` behind the last.
    pub(crate) async fn next(&mut self) -> Result<Option<Outputs>, ClientError> {
        let model = self.model.to_string();
        let message = self.messages.message().await;
        let Some(message) = message.map_err(|status| failed(&model, &status))? else {
            return Ok(None);
        };
        if !message.error_message.is_empty() {
            // It has no code but where the server is told to be strict, and tritonserver forgets then the answers before it.
            let unknown = Status::Grpc(tonic::Code::Unknown.into());
            return Err(ClientError::server(&model, unknown, message.error_message));
        }
        let missing = || ClientError::protocol("a message of the stream is empty");
        message::decode(message.infer_response.ok_or_else(missing)?).map(Some)
    }
}
