use axum::http::Request;
use axum::http::header::CONTENT_TYPE;

/// Whether a request is to be answered over gRPC.
pub(crate) fn is_grpc<B>(request: &Request<B>) -> bool {
    let content_type = request.headers().get(CONTENT_TYPE);
    content_type.is_some_and(|value| value.as_bytes().starts_with(b"application/grpc"))
}
