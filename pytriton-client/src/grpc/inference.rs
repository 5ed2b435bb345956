use std::sync::Arc;

use bytes::Bytes;
use hyper::{Method, Request, Uri, Version};
use prost::Message;
use pytriton_protocol::proto::{ModelInferRequest, ModelInferResponse};
use tonic::body::Body;

use crate::request::InferRequest;
use crate::shared_memory::Lent;
use crate::transport::Pieces;
use crate::{ClientError, Outputs};

use super::answer;
use super::message;
use super::messages::Messages;
use super::request::{compressed, encode, framed};
use super::shared::{fetched, placed};
use super::streaming::Answers;
use super::transport::{GrpcTransport, metadata};

impl GrpcTransport {
    pub(crate) async fn infer(&self, request: &InferRequest) -> Result<Outputs, ClientError> {
        let pieces = match self.gzip {
            true => compressed(request).await?,
            false => encode(request)?,
        };
        let asked = self.asked(&self.to, request, pieces)?;
        let answer = self.channel.send(asked).await.map_err(|error| error.0)?;
        let message = answer::read(answer, &request.model).await?;
        message::decode(response(message)?)
    }

    /// Sends an inference with tensors in shared memory.
    pub(crate) async fn infer_shared(
        &self,
        request: &InferRequest,
        lent: &Lent,
    ) -> Result<Outputs, ClientError> {
        let pieces = self.framed_around(request, lent).await?;
        let asked = self.asked(&self.to, request, pieces)?;
        let answer = self.channel.send(asked).await.map_err(|error| error.0)?;
        let message = answer::read(answer, &request.model).await?;
        message::decode(fetched(response(message)?, lent)?)
    }

    /// Sends a request to a streaming model, on a separate stream.
    pub(crate) async fn stream(&self, request: &InferRequest) -> Result<Answers, ClientError> {
        let pieces = match self.gzip {
            true => compressed(request).await?,
            false => encode(request)?,
        };
        self.answers(request, pieces).await
    }

    /// Sends a request to a streaming model with inputs in shared memory, which is kept until the
    /// last response.
    pub(crate) async fn stream_shared(
        &self,
        request: &Arc<InferRequest>,
        lent: &Lent,
    ) -> Result<Answers, ClientError> {
        let pieces = self.framed_around(request, lent).await?;
        let mut answers = self.answers(request, pieces).await?;
        answers.keep(request);
        // Only the first response shows whether the server knows the region.
        answers.peek().await?;
        Ok(answers)
    }

    async fn answers(
        &self,
        request: &InferRequest,
        pieces: Vec<Bytes>,
    ) -> Result<Answers, ClientError> {
        let asked = self.asked(&self.to_stream, request, pieces)?;
        let answer = self.channel.send(asked).await.map_err(|error| error.0)?;
        let messages = Messages::new(answer, &request.model)?;
        Ok(Answers::new(messages, &request.model))
    }

    /// Frames the message without the tensors in the region.
    async fn framed_around(
        &self,
        request: &InferRequest,
        lent: &Lent,
    ) -> Result<Vec<Bytes>, ClientError> {
        let message: ModelInferRequest = placed(message::encode(request), lent);
        framed(&message, self.gzip).await
    }

    fn asked(
        &self,
        to: &Uri,
        request: &InferRequest,
        pieces: Vec<Bytes>,
    ) -> Result<Request<Body>, ClientError> {
        let headers = match request.options.headers.as_slice() {
            [] => self.inference.clone(),
            own => {
                let mut headers = metadata(own)?.into_headers();
                headers.extend(self.inference.clone());
                headers
            }
        };
        let mut asked = Request::new(Body::new(Pieces::new(pieces)));
        *asked.method_mut() = Method::POST;
        *asked.version_mut() = Version::HTTP_2;
        *asked.uri_mut() = to.clone();
        *asked.headers_mut() = headers;
        Ok(asked)
    }
}

fn response(message: Bytes) -> Result<ModelInferResponse, ClientError> {
    ModelInferResponse::decode(message)
        .map_err(|error| ClientError::protocol(format!("it is no message: {error}")))
}
