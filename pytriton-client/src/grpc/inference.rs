use std::sync::Arc;

use bytes::Bytes;
use hyper::{Method, Request, Uri, Version};
use prost::Message;
use pytriton_protocol::proto::{ModelInferRequest, ModelInferResponse};
use tonic::body::Body;

use crate::request::InferRequest;
use crate::shared_memory::RegionGuard;
use crate::transport::Pieces;
use crate::{ClientError, Outputs};

use super::message;
use super::messages::Messages;
use super::request::{compressed, encode, framed};
use super::response;
use super::shared::{fetched, with_locations};
use super::streaming::ResponseStream;
use super::transport::{GrpcTransport, metadata};

impl GrpcTransport {
    pub(crate) async fn infer(&self, request: &InferRequest) -> Result<Outputs, ClientError> {
        let pieces = match self.gzip {
            true => compressed(request).await?,
            false => encode(request)?,
        };
        let http_request = self.http_request(&self.to, request, pieces)?;
        let http_response = self
            .channel
            .send(http_request)
            .await
            .map_err(|error| error.0)?;
        let message = response::read(http_response, &request.model).await?;
        message::decode(response(message)?)
    }

    /// Sends an inference with tensors in shared memory.
    pub(crate) async fn infer_shared(
        &self,
        request: &InferRequest,
        guard: &RegionGuard,
    ) -> Result<Outputs, ClientError> {
        let pieces = self.framed_with_region(request, guard).await?;
        let http_request = self.http_request(&self.to, request, pieces)?;
        let http_response = self
            .channel
            .send(http_request)
            .await
            .map_err(|error| error.0)?;
        let message = response::read(http_response, &request.model).await?;
        message::decode(fetched(response(message)?, guard)?)
    }

    /// Sends a request to a streaming model, on a separate stream.
    pub(crate) async fn stream(
        &self,
        request: &InferRequest,
    ) -> Result<ResponseStream, ClientError> {
        let pieces = match self.gzip {
            true => compressed(request).await?,
            false => encode(request)?,
        };
        self.responses(request, pieces).await
    }

    /// Sends a request to a streaming model with inputs in shared memory, which is kept until the
    /// last response.
    pub(crate) async fn stream_shared(
        &self,
        request: &Arc<InferRequest>,
        guard: &RegionGuard,
    ) -> Result<ResponseStream, ClientError> {
        let pieces = self.framed_with_region(request, guard).await?;
        let mut responses = self.responses(request, pieces).await?;
        responses.keep(request);
        // Only the first response shows whether the server knows the region.
        responses.peek().await?;
        Ok(responses)
    }

    async fn responses(
        &self,
        request: &InferRequest,
        pieces: Vec<Bytes>,
    ) -> Result<ResponseStream, ClientError> {
        let http_request = self.http_request(&self.to_stream, request, pieces)?;
        let http_response = self
            .channel
            .send(http_request)
            .await
            .map_err(|error| error.0)?;
        let messages = Messages::new(http_response, &request.model)?;
        Ok(ResponseStream::new(messages, &request.model))
    }

    /// Frames the message without the tensors in the region.
    async fn framed_with_region(
        &self,
        request: &InferRequest,
        guard: &RegionGuard,
    ) -> Result<Vec<Bytes>, ClientError> {
        let message: ModelInferRequest = with_locations(message::encode(request), guard);
        framed(&message, self.gzip).await
    }

    fn http_request(
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
        let mut http_request = Request::new(Body::new(Pieces::new(pieces)));
        *http_request.method_mut() = Method::POST;
        *http_request.version_mut() = Version::HTTP_2;
        *http_request.uri_mut() = to.clone();
        *http_request.headers_mut() = headers;
        Ok(http_request)
    }
}

fn response(message: Bytes) -> Result<ModelInferResponse, ClientError> {
    ModelInferResponse::decode(message)
        .map_err(|error| ClientError::protocol(format!("it is not a valid message: {error}")))
}
