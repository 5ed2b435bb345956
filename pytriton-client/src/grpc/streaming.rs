use std::sync::Arc;

use prost::Message;
use pytriton_protocol::proto::ModelStreamInferResponse;

use crate::request::{InferRequest, Model};
use crate::{ClientError, Outputs, Status};

use super::message;
use super::messages::Messages;

/// The responses to one request.
#[derive(Debug)]
pub(crate) struct ResponseStream {
    messages: Box<Messages>,
    model: Model,
    /// The first response, if it has been received ahead of time.
    peeked: Option<Option<Outputs>>,
    /// A request whose inputs stay in shared memory until the last response.
    request: Option<Arc<InferRequest>>,
}

impl ResponseStream {
    pub(super) fn new(messages: Messages, model: &Model) -> Self {
        Self {
            messages: Box::new(messages),
            model: model.clone(),
            peeked: None,
            request: None,
        }
    }

    /// Keeps the request's shared memory until the last response.
    pub(super) fn keep(&mut self, request: &Arc<InferRequest>) {
        self.request = Some(Arc::clone(request));
    }

    /// Waits for the first response.
    pub(super) async fn peek(&mut self) -> Result<(), ClientError> {
        self.peeked = Some(self.read().await?);
        Ok(())
    }

    /// Returns the next response, or `None` after the last one.
    pub(crate) async fn next(&mut self) -> Result<Option<Outputs>, ClientError> {
        match self.peeked.take() {
            Some(peeked) => Ok(peeked),
            None => self.read().await,
        }
    }

    async fn read(&mut self) -> Result<Option<Outputs>, ClientError> {
        let message = self.messages.next(&self.model).await;
        let shared = self.request.as_ref().map(|request| &request.shared);
        // The server may continue to use the region after an error message.
        if let (Some(Some(guard)), Ok(None) | Err(ClientError::Server { .. })) = (shared, &message)
        {
            guard.end();
        }
        let Some(message) = message? else {
            return Ok(None);
        };
        let message = ModelStreamInferResponse::decode(message).map_err(|error| {
            ClientError::protocol(format!("it is not a valid message: {error}"))
        })?;
        if !message.error_message.is_empty() {
            // The message has a status only if the server runs in strict mode, in which
            // tritonserver drops the responses before it.
            let unknown = Status::Grpc(tonic::Code::Unknown.into());
            let model = self.model.to_string();
            return Err(ClientError::server(&model, unknown, message.error_message));
        }
        let missing = || ClientError::protocol("a message of the stream is empty");
        message::decode(message.infer_response.ok_or_else(missing)?).map(Some)
    }
}
