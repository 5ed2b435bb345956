use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::{mem, vec};

use axum::body::HttpBody;
use axum::http::header::{ACCEPT_ENCODING, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode};
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};

use crate::kserve::error_json;
use crate::text::for_client;

use super::HttpError;

pub(super) const JSON: &str = "application/json";
pub(super) const PLAIN: &str = "text/plain";

/// What a request over HTTP is answered with.
pub(crate) type Answer = Response<Parts>;

/// An answer with a body of JSON.
pub(super) fn json(body: Vec<u8>) -> Answer {
    answer(StatusCode::OK, JSON, body.into())
}

/// An answer that says by its status alone that all is well.
pub(super) fn fine() -> Answer {
    answer(StatusCode::OK, PLAIN, Bytes::new())
}

/// An answer of these parts, which are sent one after the other without being joined.
pub(super) fn parts(headers: HeaderMap, first: Bytes, others: Vec<Bytes>) -> Answer {
    let others = others.into_iter();
    let mut response = Response::new(Parts { first, others });
    *response.headers_mut() = headers;
    response
}

fn answer(status: StatusCode, content_type: &'static str, body: Bytes) -> Answer {
    let mut response = Response::new(Parts::from(body));
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

impl From<Failure> for Answer {
    fn from(
        Failure {
            error,
            content_type,
        }: Failure,
    ) -> Self {
        let status = StatusCode::from_u16(error.status());
        let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = answer(status, content_type, error_json(&for_client(&error)).into());
        if error == HttpError::ContentEncoding {
            let known = HeaderValue::from_static("gzip, deflate");
            response.headers_mut().insert(ACCEPT_ENCODING, known);
        }
        response
    }
}

/// The answer to a request that no route has seen.
pub(crate) fn refusal(error: HttpError) -> Answer {
    Failure::plain(error).into()
}

/// A body of several parts whose size is known.
#[derive(Debug)]
pub(crate) struct Parts {
    first: Bytes,
    others: vec::IntoIter<Bytes>,
}

impl Parts {
    fn next(&mut self) -> Option<Bytes> {
        match mem::take(&mut self.first) {
            first if first.is_empty() => self.others.next(),
            first => Some(first),
        }
    }
}

impl From<Bytes> for Parts {
    fn from(first: Bytes) -> Self {
        let others = Vec::new().into_iter();
        Self { first, others }
    }
}

impl HttpBody for Parts {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.next().map(|part| Ok(Frame::data(part))))
    }

    fn is_end_stream(&self) -> bool {
        self.first.is_empty() && self.others.as_slice().is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        let parts = std::iter::once(&self.first).chain(self.others.as_slice());
        SizeHint::with_exact(parts.map(|part| part.len() as u64).sum())
    }
}
