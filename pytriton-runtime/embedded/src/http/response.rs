use std::time::Duration;

use axum::http::header::{ACCEPT_ENCODING, ALLOW, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderValue, Method, Response, StatusCode};
use bytes::Bytes;
use pytriton_core::memory_budget::MemoryBudgetError;
use pytriton_core::text::for_client;
use pytriton_core::tracked_bytes::TrackedBytes;
use pytriton_kserve::error_json;

use crate::service::{AppState, Error};

use super::HttpError;
use super::content::{Content, Parts};
use super::events::Events;

pub(super) const JSON: &str = "application/json";
pub(super) const PLAIN: &str = "text/plain";

/// A response over HTTP.
pub(crate) type HttpResponse = Response<Content>;

/// Creates a JSON response.
pub(super) fn json(body: TrackedBytes) -> HttpResponse {
    respond(StatusCode::OK, JSON, body)
}

/// Creates a response about models or settings. Its memory is reserved until the client has
/// received it.
pub(super) fn held(
    app_state: &AppState,
    content_type: &'static str,
    body: impl Into<Bytes>,
) -> Result<HttpResponse, Failure> {
    let body = reserved(app_state, body);
    let body = body.map_err(|error| Failure::json(Error::from(error)))?;
    Ok(respond(StatusCode::OK, content_type, body))
}

/// Reserves the memory of a text about models or settings.
pub(super) fn reserved(
    app_state: &AppState,
    text: impl Into<Bytes>,
) -> Result<TrackedBytes, MemoryBudgetError> {
    TrackedBytes::new(text.into(), app_state.models.budget().empty_permit())
}

/// Creates a response from parts, which are sent one after another without being joined.
pub(super) fn parts(
    headers: HeaderMap,
    first: TrackedBytes,
    others: Vec<TrackedBytes>,
) -> HttpResponse {
    let mut response = Response::new(Content::Parts(Parts::new(first, others)));
    *response.headers_mut() = headers;
    response
}

/// Creates a response that is a stream of events.
pub(super) fn events(status: StatusCode, events: Events) -> HttpResponse {
    let content_type = "text/event-stream; charset=utf-8";
    respond(status, content_type, Content::Events(events))
}

pub(super) fn respond(
    status: StatusCode,
    content_type: &'static str,
    body: impl Into<Content>,
) -> HttpResponse {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    let content_type = HeaderValue::from_static(content_type);
    response.headers_mut().insert(CONTENT_TYPE, content_type);
    response
}

/// An error and the content type that Triton uses for it.
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

impl From<Failure> for HttpResponse {
    fn from(
        Failure {
            error,
            content_type,
        }: Failure,
    ) -> Self {
        let status = StatusCode::from_u16(error.status());
        let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = respond(
            status,
            content_type,
            TrackedBytes::short(&error_json(&for_client(&error))),
        );
        if let Some(time) = error.retry_after() {
            retry_after(&mut response, time);
        }
        if let HttpError::Method { allowed } = error {
            allow(&mut response, allowed);
        }
        if error == HttpError::ContentEncoding {
            let known = HeaderValue::from_static("gzip, deflate");
            response.headers_mut().insert(ACCEPT_ENCODING, known);
        }
        response
    }
}

/// The longest time in a `Retry-After` header, in seconds.
const MAX_RETRY_SECONDS: u64 = i32::MAX.cast_unsigned() as u64;

/// Adds the `Retry-After` header, in seconds, rounded up.
pub(super) fn retry_after(response: &mut HttpResponse, time: Duration) {
    let seconds = time
        .as_secs()
        .saturating_add(u64::from(time.subsec_nanos() > 0));
    let seconds = seconds.min(MAX_RETRY_SECONDS);
    response.headers_mut().insert(RETRY_AFTER, seconds.into());
}

/// Adds the `Allow` header, which a response with status 405 must have.
pub(super) fn allow(response: &mut HttpResponse, methods: &[Method]) {
    let names: Vec<&str> = methods.iter().map(Method::as_str).collect();
    // Method names, commas and spaces are valid in a header.
    if let Ok(names) = HeaderValue::from_str(&names.join(", ")) {
        response.headers_mut().insert(ALLOW, names);
    }
}
