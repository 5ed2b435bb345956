use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::handler::HandlerWithoutStateExt;
use axum::http::header::{ACCEPT, ALLOW, CONTENT_TYPE};
use axum::http::{self, HeaderName, StatusCode};
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};
use pytriton_engine::port::Port;

use crate::service::AppState;
use crate::service::routes::{Endpoint, Rejection, admit};

use super::deadline::{deadline, until};
use super::service::Service;
use super::{GrpcError, GrpcResponse};

/// Creates the routes of the gRPC services: inference, health and reflection.
///
/// Requests may be compressed. Responses are not, because every client announces support for
/// compression.
pub fn routes(app_state: AppState) -> Router {
    let service = Arc::new(Service::new(app_state));
    let respond = move |request| respond(&service, request);
    // A fallback would add `content-length` to a response without a body, which clients take for a
    // trailer.
    Router::new().route_service("/{*call}", respond.into_service())
}

fn respond(service: &Arc<Service>, request: Request) -> BoxFuture<'static, GrpcResponse> {
    if let Some((status, expected)) = not_a_call(&request) {
        return ready(GrpcResponse::not_a_call(status, expected)).boxed();
    }
    let app_state = &service.app_state;
    let (uri, headers) = (request.uri(), request.headers());
    let route = match admit(app_state, Port::Grpc, uri, request.method(), headers) {
        Ok(found) => found.route,
        Err((rejection, _)) => return ready(rejected(rejection)).boxed(),
    };
    let Endpoint::Rpc(rpc) = route.endpoint else {
        return ready(rejected(Rejection::NotFound)).boxed();
    };
    let deadline = deadline(headers);
    let call = service.call((route, rpc), request);
    match deadline {
        Some(deadline) => until(deadline, call).boxed(),
        None => call,
    }
}

/// Creates the response to a call that is not admitted.
fn rejected(rejection: Rejection) -> GrpcResponse {
    match rejection {
        Rejection::Headers { count, limit } => GrpcError::Headers { count, limit }.into(),
        Rejection::HeadTooLarge { bytes, limit } => GrpcError::Metadata { bytes, limit }.into(),
        Rejection::Restricted(restricted) => GrpcError::from(restricted).into(),
        // Other methods than POST are not calls.
        Rejection::NotFound | Rejection::Method { .. } => {
            GrpcResponse::status(tonic::Status::unimplemented(""))
        }
    }
}

/// Returns the error for a request that is not a gRPC call, regardless of its path.
fn not_a_call(request: &Request) -> Option<(StatusCode, (HeaderName, &'static str))> {
    if request.method() != http::Method::POST {
        return Some((StatusCode::METHOD_NOT_ALLOWED, (ALLOW, "POST")));
    }
    let value = request.headers().get(CONTENT_TYPE);
    let kind = value.and_then(|value| value.as_bytes().strip_prefix(GRPC));
    match kind {
        Some([] | [b'+' | b';' | b' ', ..]) => None,
        _ => Some((
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            (ACCEPT, "application/grpc"),
        )),
    }
}

const GRPC: &[u8] = b"application/grpc";
