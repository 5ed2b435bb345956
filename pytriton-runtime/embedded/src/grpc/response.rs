use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use futures_util::Stream;
use tokio::time::Instant;
use tonic::Status;

use super::GrpcError;
use super::deadline::Until;
use super::framed::Framed;
use super::response_body::ResponseBody;

/// The response to a request on a port for gRPC.
///
/// Its body is empty or consists of [`Framed`] messages, whose memory is reserved. No constructor
/// takes other bytes, so that a handler cannot send any without a reservation.
#[derive(Debug)]
pub(crate) struct GrpcResponse(Response);

impl GrpcResponse {
    /// Creates the response to a call: messages, followed by the status.
    pub(super) fn messages(
        messages: impl Stream<Item = Result<Framed, Status>> + Send + Unpin + 'static,
    ) -> Self {
        let mut response = Response::new(Body::new(ResponseBody::new(messages)));
        let content_type = HeaderValue::from_static("application/grpc");
        response.headers_mut().insert(CONTENT_TYPE, content_type);
        Self(response)
    }

    /// Creates the response to a call that fails before its first message.
    pub(super) fn status(status: Status) -> Self {
        Self(status.into_http())
    }

    /// Creates the response to a request that is not a call, with a header that names what is
    /// expected.
    pub(super) fn not_a_call(status: StatusCode, expected: (HeaderName, &'static str)) -> Self {
        Self((status, [expected]).into_response())
    }

    /// Ends the response at a deadline.
    pub(super) fn until(self, deadline: Instant) -> Self {
        Self(self.0.map(|body| Body::new(Until::new(body, deadline))))
    }
}

impl From<GrpcError> for GrpcResponse {
    fn from(error: GrpcError) -> Self {
        Self::status(error.into())
    }
}

impl IntoResponse for GrpcResponse {
    fn into_response(self) -> Response {
        self.0
    }
}
