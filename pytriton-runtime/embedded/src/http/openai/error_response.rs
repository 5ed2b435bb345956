use axum::http::header::{HeaderName, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use pytriton_core::text::for_client;
use pytriton_core::tracked_bytes::TrackedBytes;
use pytriton_kserve::openai::OpenAiError;

use crate::service::{Error, Restricted};

use super::super::HttpError;
use super::super::response::{HttpResponse, JSON, allow, respond, retry_after};

/// The header by which OpenAI clients decide whether to retry.
static SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");

/// Creates the response for an error.
pub(super) fn refused(error: &OpenAiError) -> HttpResponse {
    let status = StatusCode::from_u16(error.status());
    let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut refused = respond(status, JSON, TrackedBytes::short(&error.to_json()));
    if let OpenAiError::Failed {
        retry_after: Some(time),
        ..
    } = error
    {
        retry_after(&mut refused, *time);
    } else if status.is_server_error() && !error.passes() {
        let never = HeaderValue::from_static("false");
        refused.headers_mut().insert(SHOULD_RETRY.clone(), never);
    }
    if let OpenAiError::Method { allowed, .. } = error {
        allow(&mut refused, allowed);
    }
    if let OpenAiError::Restricted { .. } = error {
        let bearer = HeaderValue::from_static("Bearer");
        refused.headers_mut().insert(WWW_AUTHENTICATE, bearer);
    }
    refused
}

impl From<HttpError> for OpenAiError {
    fn from(error: HttpError) -> Self {
        let status = match error {
            HttpError::Restricted(Restricted { header }) => return Self::Restricted { header },
            HttpError::BodySize { .. } | HttpError::BodyTooLarge { .. } => 413,
            _ => error.status(),
        };
        let message = for_client(&error);
        Self::Failed {
            status,
            message,
            retry_after: error.retry_after(),
        }
    }
}

impl From<Error> for OpenAiError {
    fn from(error: Error) -> Self {
        HttpError::from(error).into()
    }
}
