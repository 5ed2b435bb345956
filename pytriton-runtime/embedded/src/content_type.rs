use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;

/// Returns whether a request is a gRPC call.
pub(crate) fn is_grpc(headers: &HeaderMap) -> bool {
    let content_type = headers.get(CONTENT_TYPE);
    content_type.is_some_and(|value| value.as_bytes().starts_with(b"application/grpc"))
}
