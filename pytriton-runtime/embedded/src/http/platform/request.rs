use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING};
use axum::http::uri::PathAndQuery;
use axum::http::{Method, Request, StatusCode, Uri};
use pytriton_core::tracked_bytes::TrackedBytes;
use pytriton_engine::port::Port;

use crate::service::AppState;

use super::super::body::Body;
use super::super::response::{HttpResponse, PLAIN, respond};
use super::super::router;

/// Serves a request as if it had this path of the KServe API.
pub(super) async fn at<B: Body>(
    app_state: &AppState,
    mut request: Request<B>,
    path: &str,
    method: Method,
) -> HttpResponse {
    let Ok(path) = PathAndQuery::try_from(path) else {
        return nothing(StatusCode::BAD_REQUEST);
    };
    let health = path.path().starts_with("/v2/health/") || path.path().ends_with("/ready");
    *request.uri_mut() = Uri::from(path);
    *request.method_mut() = method;
    // The platforms do not use compression.
    request.headers_mut().remove(ACCEPT_ENCODING);
    request.headers_mut().remove(CONTENT_ENCODING);
    let response = router::handle(app_state, Port::Http, request).await;
    let status = response.status();
    let only_status = status == StatusCode::OK || status == StatusCode::BAD_REQUEST;
    match health && only_status && !is_error(&response) {
        true => nothing(status),
        false => response,
    }
}

/// Creates a response without a body.
pub(super) fn nothing(status: StatusCode) -> HttpResponse {
    respond(status, PLAIN, TrackedBytes::default())
}

/// Returns whether the response is an error. Errors are plain text, and health responses are not.
fn is_error(response: &HttpResponse) -> bool {
    let content_type = response.headers().get(axum::http::header::CONTENT_TYPE);
    content_type.is_some_and(|content_type| content_type == PLAIN)
}
