use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{ACCEPT, ALLOW, CONTENT_TYPE};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use tonic::codec::CompressionEncoding;
use tonic::service::Routes;
use tonic_health::pb::health_server::HealthServer;
use tonic_reflection::server::Builder;

use crate::Status;
use crate::proto::FILE_DESCRIPTOR_SET;
use crate::proto::grpc_inference_service_server::GrpcInferenceServiceServer;
use crate::repository::Repository;

use super::GrpcState;
use super::deadline::{deadline, until};
use super::health::HealthService;
use super::punctual::punctual;
use super::service::Service;

/// The gRPC services as routes: inference, health and reflection.
///
/// Requests may be compressed; responses are not, because every client says that it could read compressed ones.
pub fn routes(state: GrpcState) -> Router {
    let health = HealthServer::new(HealthService {
        repository: Arc::clone(&state.repository),
    });
    let limits = state.limits;
    let repository = Arc::clone(&state.repository);
    let inference = GrpcInferenceServiceServer::new(Service { state })
        .accept_compressed(CompressionEncoding::Gzip)
        .accept_compressed(CompressionEncoding::Deflate)
        .max_decoding_message_size(limits.max_request_bytes);
    let mut routes = Routes::new(inference).add_service(health);
    // The descriptors are constants, and a test reads them: there is no error to hand on.
    if let Ok(reflection) = reflection().build_v1() {
        routes = routes.add_service(reflection);
    }
    if let Ok(reflection) = reflection().build_v1alpha() {
        routes = routes.add_service(reflection);
    }
    let router = routes.into_axum_router();
    router.layer(from_fn(move |request: Request, next: Next| {
        let repository = Arc::clone(&repository);
        async move {
            if let Some(mistake) = mistake(&request) {
                return mistake.into_response();
            }
            let deadline = deadline(request.headers());
            let request = ending(punctual(request, &limits, &repository), &repository);
            too_large(until(deadline, next.run(request)).await)
        }
    }))
}

/// What is no call, whatever the path.
fn mistake(request: &Request) -> Option<(StatusCode, [(HeaderName, &'static str); 1])> {
    if request.method() != Method::POST {
        return Some((StatusCode::METHOD_NOT_ALLOWED, [(ALLOW, "POST")]));
    }
    let value = request.headers().get(CONTENT_TYPE);
    let kind = value.and_then(|value| value.as_bytes().strip_prefix(GRPC));
    match kind {
        Some([] | [b'+' | b';' | b' ', ..]) => None,
        _ => Some((
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            [(ACCEPT, "application/grpc")],
        )),
    }
}

/// Ends the questions of a client of reflection when the server stops, so that an idle one does not hold it.
fn ending(request: Request, repository: &Repository) -> Request {
    if !request.uri().path().starts_with("/grpc.reflection.") {
        return request;
    }
    let stopping = repository.stopping();
    request.map(|body| Body::from_stream(body.into_data_stream().take_until(stopping)))
}

fn reflection() -> Builder<'static> {
    Builder::configure()
        .register_encoded_file_descriptor_set(FILE_DESCRIPTOR_SET)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
}

/// Gives a message above the limit the code of [`Status::TooLarge`], as gRPC's own servers do; tonic has another one for it,
/// which nothing else here uses.
fn too_large(mut response: Response) -> Response {
    if let Some(code) = response.headers_mut().get_mut(tonic::Status::GRPC_STATUS)
        && code == OUT_OF_RANGE
    {
        *code = HeaderValue::from(Status::TooLarge.grpc());
    }
    response
}

const GRPC: &[u8] = b"application/grpc";
const OUT_OF_RANGE: &str = "11";
