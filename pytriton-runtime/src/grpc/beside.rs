use axum::Router;
use axum::extract::Request;
use axum::http::header::CONTENT_TYPE;
use tonic::codegen::Service;

/// HTTP and gRPC on one port: a gRPC request is known by its content type.
pub fn beside(http: Router, grpc: Router) -> Router {
    Router::new().fallback(move |request: Request| {
        let mut door = if is_grpc(&request) {
            grpc.clone()
        } else {
            http.clone()
        };
        // A router is always ready.
        async move { door.call(request).await }
    })
}

/// Whether a request is to be answered over gRPC.
pub(crate) fn is_grpc(request: &Request) -> bool {
    let content_type = request.headers().get(CONTENT_TYPE);
    content_type.is_some_and(|value| value.as_bytes().starts_with(b"application/grpc"))
}
