use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::handler::HandlerWithoutStateExt;
use axum::middleware::{map_request, map_response};
use axum::response::Response;
use futures_util::StreamExt;
use tonic::codec::CompressionEncoding;
use tonic::service::Routes;
use tonic_health::pb::health_server::HealthServer;

use crate::proto::grpc_inference_service_server::GrpcInferenceServiceServer;
use crate::repository::Repository;

use super::health::HealthService;
use super::reflection::reflection;
use super::service::Service;
use super::{GrpcError, GrpcState};

/// The gRPC services as routes: inference, health and reflection.
///
/// Requests may be compressed; responses are not, because every client says that it could read compressed ones.
pub fn routes(state: GrpcState) -> Router {
    let health = HealthServer::new(HealthService {
        repository: Arc::clone(&state.repository),
    });
    let limit = state.limits.max_request_bytes;
    let repository = Arc::clone(&state.repository);
    let inference = GrpcInferenceServiceServer::new(Service { state })
        .accept_compressed(CompressionEncoding::Gzip)
        .accept_compressed(CompressionEncoding::Deflate)
        .max_decoding_message_size(limit);
    let routes = Routes::new(inference).add_service(health);
    routes
        .into_axum_router()
        // The descriptors are constants, and a test reads them: there is no error to hand on.
        .merge(reflection().unwrap_or_default())
        .route_service("/{*call}", unimplemented.into_service())
        .layer(map_response(move |response| {
            let response = too_large(response, limit);
            async move { response }
        }))
        .layer(map_request(move |request| {
            let request = ending(request, &repository);
            async move { request }
        }))
}

/// Ends the questions of a client of reflection when the server stops, so that an idle one does not hold it.
fn ending(request: Request, repository: &Repository) -> Request {
    if !request.uri().path().starts_with("/grpc.reflection.") {
        return request;
    }
    let stopping = repository.stopping();
    request.map(|body| Body::from_stream(body.into_data_stream().take_until(stopping)))
}

/// Gives a message above the limit an error of ours. Nothing else here has tonic's codes for it: one for a message as it
/// comes, one for what it is decompressed.
fn too_large(mut response: Response, limit: usize) -> Response {
    let headers = response.headers_mut();
    if let Some(code) = headers.get(tonic::Status::GRPC_STATUS)
        && [OUT_OF_RANGE, RESOURCE_EXHAUSTED].contains(&code.as_bytes())
    {
        let status = tonic::Status::from(GrpcError::TooLarge { limit });
        // A number and a text of ASCII are headers.
        let _ = status.add_header(headers);
    }
    response
}

/// Answers a call of a service that is not there. As a fallback it would have a `content-length`, which clients take for a
/// trailer.
async fn unimplemented() -> Response {
    tonic::Status::unimplemented("").into_http()
}

const OUT_OF_RANGE: &[u8] = b"11";
const RESOURCE_EXHAUSTED: &[u8] = b"8";
