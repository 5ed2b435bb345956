use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, HttpBody};
use axum::http::header::{ACCEPT_ENCODING, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};

use crate::kserve::error_json;
use crate::text::for_client;

use super::HttpError;

pub(super) const JSON: &str = "application/json";
pub(super) const PLAIN: &str = "text/plain";

/// An answer with a body of JSON.
pub(super) fn json(body: Vec<u8>) -> Response {
    answer(StatusCode::OK, JSON, Body::from(body))
}

/// An answer that says by its status alone that all is well.
pub(super) fn fine() -> Response {
    answer(StatusCode::OK, PLAIN, Body::empty())
}

/// An answer of these parts, which are sent one after the other without being joined.
pub(super) fn parts(headers: HeaderMap, parts: impl Iterator<Item = Bytes>) -> Response {
    let mut response = Response::new(Body::new(Parts(parts.collect())));
    *response.headers_mut() = headers;
    response
}

fn answer(status: StatusCode, content_type: &'static str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let content_type = HeaderValue::from_static(content_type);
    response.headers_mut().insert(CONTENT_TYPE, content_type);
    response
}

/// An error and the content type under which Triton sends it.
#[derive(Debug)]
pub(super) struct Failure {
    error: HttpError,
    content_type: &'static str,
}

impl Failure {
    pub(super) fn json(error: impl Into<HttpError>) -> Self {
        Self {
            error: error.into(),
            content_type: JSON,
        }
    }

    pub(super) fn plain(error: impl Into<HttpError>) -> Self {
        Self {
            error: error.into(),
            content_type: PLAIN,
        }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.error.status());
        let body = Body::from(error_json(&for_client(&self.error)));
        let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = answer(status, self.content_type, body);
        if self.error == HttpError::ContentEncoding {
            let known = HeaderValue::from_static("gzip, deflate");
            response.headers_mut().insert(ACCEPT_ENCODING, known);
        }
        response
    }
}

/// The answer to a request that no route has seen.
pub(crate) fn refusal(error: HttpError) -> Response {
    Failure::plain(error).into_response()
}

/// A body of several parts whose size is known.
#[derive(Debug)]
struct Parts(VecDeque<Bytes>);

impl HttpBody for Parts {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.pop_front().map(|part| Ok(Frame::data(part))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.iter().map(|part| part.len() as u64).sum())
    }
}
