use axum::http::{Method, Request, StatusCode};
use pytriton_core::tracked_bytes::TrackedBytes;
use pytriton_engine::port::Port;
use pytriton_kserve::error_json;

use crate::service::AppState;
use crate::service::routes::{
    Endpoint, MODELS, RouteMatch, SageMakerEndpoint, check_access, find_method,
};

use super::super::body::Body;
use super::super::response::{Failure, HttpResponse, PLAIN, respond};
use super::binary;
use super::request::{at, nothing};

const BINARY: &str = "application/vnd.sagemaker-triton.binary+json;json-header-size=";

/// The error for loading a model from a folder.
const FIXED: &str = "the models are part of the server: SageMaker's multi-model endpoints require tritonserver and model folders";

/// The meaning of `/ping`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ping {
    /// Whether the server is ready.
    Ready,
    /// Whether the server runs.
    Live,
}

/// The routes of SageMaker.
#[derive(Debug)]
pub struct SageMaker {
    /// The meaning of `/ping`.
    pub ping: Ping,
    /// The model of `/invocations`.
    pub model: String,
}

impl SageMaker {
    pub(super) fn table_path(path: &str) -> &str {
        match path.starts_with(MODELS) {
            true => MODELS,
            false => path,
        }
    }

    pub(super) async fn handle<B: Body>(
        &self,
        app_state: &AppState,
        mut request: Request<B>,
    ) -> HttpResponse {
        let method = request.method().clone();
        let path = request.uri().path();
        let found = find_method(Port::SageMaker, Self::table_path(path), &method);
        let Some(RouteMatch { route, .. }) = found else {
            return nothing(StatusCode::BAD_REQUEST);
        };
        match route.endpoint {
            Endpoint::SageMaker(SageMakerEndpoint::Ping) => {
                let path = match self.ping {
                    Ping::Ready => "/v2/health/ready",
                    Ping::Live => "/v2/health/live",
                };
                at(app_state, request, path, method).await
            }
            Endpoint::SageMaker(SageMakerEndpoint::Invocations) => {
                if let Err(error) = binary::read(request.headers_mut(), BINARY) {
                    return Failure::plain(error).into();
                }
                let path = format!("/v2/models/{}/infer", self.model);
                let mut response = at(app_state, request, &path, method).await;
                binary::write(&mut response, BINARY);
                // Triton uses this status for failed executions on SageMaker.
                if response.status() == StatusCode::INTERNAL_SERVER_ERROR {
                    *response.status_mut() = StatusCode::BAD_REQUEST;
                }
                response
            }
            Endpoint::SageMaker(SageMakerEndpoint::Models) => {
                match check_access(app_state, route, request.headers()) {
                    Ok(()) => several(path, &method),
                    Err(error) => Failure::plain(error).into(),
                }
            }
            _ => nothing(StatusCode::BAD_REQUEST),
        }
    }
}

/// Refuses multi-model requests, because no models can be added.
fn several(path: &str, method: &Method) -> HttpResponse {
    let Some(rest) = path.strip_prefix(MODELS) else {
        return nothing(StatusCode::BAD_REQUEST);
    };
    let rest = rest.strip_prefix('/').unwrap_or(rest);
    let (name, action) = rest.split_once('/').unwrap_or((rest, ""));
    match (method.as_str(), name, action) {
        (_, _, action) if !["", "invoke"].contains(&action) => nothing(StatusCode::BAD_REQUEST),
        ("GET", "", _) => respond(
            StatusCode::OK,
            PLAIN,
            TrackedBytes::from_static(b"{\"models\":[]}"),
        ),
        ("POST", _, "invoke") | ("GET" | "DELETE", ..) => nothing(StatusCode::NOT_FOUND),
        ("POST", ..) => respond(
            StatusCode::BAD_REQUEST,
            PLAIN,
            TrackedBytes::short(&error_json(FIXED)),
        ),
        _ => nothing(StatusCode::BAD_REQUEST),
    }
}
