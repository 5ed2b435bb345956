use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::handler::HandlerWithoutStateExt;
use axum::http::header::{ACCEPT, ALLOW, CONTENT_TYPE};
use axum::http::{self, HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use futures_util::future::{BoxFuture, ready};
use futures_util::{FutureExt, StreamExt};
use tonic::codec::CompressionEncoding;
use tonic::codegen::Service as _;
use tonic::service::Routes;
use tonic_health::pb::health_server::HealthServer;

use crate::proto::grpc_inference_service_server::GrpcInferenceServiceServer;
use crate::reception::Reception;
use crate::serving::ModelSet;

use super::deadline::{deadline, until};
use super::head::check_head;
use super::health::HealthService;
use super::infer::unary;
use super::method::Method;
use super::punctual::Punctual;
use super::reflection::reflection;
use super::service::Service;
use super::stream::stream;
use super::{GrpcError, refusal};

/// What answers calls: those that carry tensors need no more than the reception.
struct Door {
    reception: Arc<Reception>,
    others: Router,
}

/// The gRPC services as routes: inference, health and reflection.
///
/// Requests may be compressed; responses are not, because every client says that it could read compressed ones.
pub fn routes(reception: Reception) -> Router {
    let reception = Arc::new(reception);
    let others = others(&reception);
    let door = Arc::new(Door { reception, others });
    let answer = move |request| answer(&door, request);
    // As a fallback it would give an answer without a body a `content-length`, which clients take for a trailer.
    Router::new().route_service("/{*call}", answer.into_service())
}

/// A future of its own for each kind of call, so that none is larger than it must be.
fn answer(door: &Arc<Door>, request: Request) -> BoxFuture<'static, Response> {
    if let Some(mistake) = mistake(&request) {
        return ready(mistake.into_response()).boxed();
    }
    if let Err(error) = check_head(&request, &door.reception.limits) {
        return ready(refusal(error)).boxed();
    }
    let Some(method) = Method::parse(request.uri().path()) else {
        return ready(tonic::Status::unimplemented("").into_http()).boxed();
    };
    if let Err(error) = door.reception.admit(method.operation(), request.headers()) {
        return ready(refusal(error.into())).boxed();
    }
    let deadline = deadline(request.headers());
    let Door { reception, others } = &**door;
    let punctual = |body, streams| Punctual::new(body, streams, reception);
    let call = match method {
        Method::ModelInfer => {
            let request = request.map(|body| punctual(body, false));
            unary(Arc::clone(reception), request).boxed()
        }
        Method::ModelStreamInfer => {
            let request = request.map(|body| punctual(body, true));
            ready(stream(Arc::clone(reception), request)).boxed()
        }
        Method::Other(_) | Method::HealthCheck | Method::HealthWatch | Method::Reflection => {
            let streams = method == Method::Reflection;
            let mut request = request.map(|body| Body::new(punctual(body, streams)));
            if streams {
                request = ending(request, &reception.models);
            }
            let limit = reception.limits.max_request_bytes;
            // A router is always ready.
            let response = others.clone().call(request);
            let response = response.map(|response| response.unwrap_or_else(|never| match never {}));
            response
                .map(move |response| too_large(response, limit))
                .boxed()
        }
    };
    match deadline {
        Some(deadline) => until(deadline, call).boxed(),
        None => call,
    }
}

/// All other calls.
fn others(reception: &Arc<Reception>) -> Router {
    let health = HealthServer::new(HealthService {
        models: Arc::clone(&reception.models),
    });
    let inference = GrpcInferenceServiceServer::new(Service {
        reception: Arc::clone(reception),
    })
    .accept_compressed(CompressionEncoding::Gzip)
    .accept_compressed(CompressionEncoding::Deflate)
    .max_decoding_message_size(reception.limits.max_request_bytes);
    let routes = Routes::new(inference).add_service(health);
    // The descriptors are constants, and a test reads them: there is no error to hand on.
    let reflection = reflection().unwrap_or_default();
    routes.into_axum_router().merge(reflection)
}

/// What is no call, whatever the path.
fn mistake(request: &Request) -> Option<(StatusCode, [(HeaderName, &'static str); 1])> {
    if request.method() != http::Method::POST {
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
fn ending(request: Request, models: &ModelSet) -> Request {
    let stopping = models.stopping();
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

const GRPC: &[u8] = b"application/grpc";
const OUT_OF_RANGE: &[u8] = b"11";
const RESOURCE_EXHAUSTED: &[u8] = b"8";
