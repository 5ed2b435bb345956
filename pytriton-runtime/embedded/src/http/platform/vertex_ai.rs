use std::sync::Arc;

use axum::http::{Method, Request, StatusCode};
use pytriton_engine::port::Port;

use crate::service::AppState;
use crate::service::routes::{
    AIP_HEALTH_ROUTE, AIP_PREDICT_ROUTE, Endpoint, VertexAiEndpoint, check_access, find,
};

use super::super::body::Body;
use super::super::metrics::Metrics;
use super::super::response::{Failure, HttpResponse, PLAIN, allow, respond};
use super::binary;
use super::request::{at, nothing};

/// The header that selects another path than that of the default model.
const REDIRECT: &str = "x-vertex-ai-triton-redirect";

const BINARY: &str = "application/vnd.vertex-ai-triton.binary+json;json-header-size=";

/// The routes of Vertex AI.
#[derive(Debug)]
pub struct VertexAi {
    /// The path of health checks, from the environment.
    pub health: String,
    /// The path of predictions, from the environment.
    pub predict: String,
    /// The default model.
    pub model: String,
    /// The metrics, if they are enabled.
    pub metrics: Option<Arc<Metrics>>,
}

impl VertexAi {
    pub(super) fn table_path<'a>(&self, path: &'a str) -> &'a str {
        if path == self.health {
            return AIP_HEALTH_ROUTE;
        }
        match path == self.predict {
            true => AIP_PREDICT_ROUTE,
            // Other routes of this port are reached only by redirects.
            false => "",
        }
    }

    pub(super) async fn handle<B: Body>(
        &self,
        app_state: &AppState,
        mut request: Request<B>,
    ) -> HttpResponse {
        let path = self.table_path(request.uri().path());
        let method = request.method().clone();
        match find(Port::VertexAi, path).map(|found| found.route.endpoint) {
            Some(Endpoint::VertexAi(VertexAiEndpoint::Health)) => {
                return at(app_state, request, "/v2/health/ready", method).await;
            }
            Some(Endpoint::VertexAi(VertexAiEndpoint::Predict)) => {}
            _ => return nothing(StatusCode::BAD_REQUEST),
        }
        if let Err(error) = binary::read(request.headers_mut(), BINARY) {
            return Failure::plain(error).into();
        }
        let Some(redirect) = request.headers().get(REDIRECT) else {
            let path = format!("/v2/models/{}/infer", self.model);
            return at(app_state, request, &path, method).await;
        };
        if method != Method::POST {
            let mut refused = nothing(StatusCode::METHOD_NOT_ALLOWED);
            allow(&mut refused, &[Method::POST]);
            return refused;
        }
        let path = format!("/{}", String::from_utf8_lossy(redirect.as_bytes()));
        let route = find(Port::VertexAi, &path).map(|found| found.route);
        match (route, &self.metrics) {
            (Some(route), Some(metrics)) if route.endpoint == Endpoint::Metrics => {
                match check_access(app_state, route, request.headers()) {
                    Ok(()) => {
                        let text = metrics.text().await;
                        respond(StatusCode::OK, PLAIN, text)
                    }
                    Err(error) => Failure::plain(error).into(),
                }
            }
            (Some(route), _) if matches!(route.endpoint, Endpoint::Kserve(_)) => {
                let [method, ..] = route.methods else {
                    return nothing(StatusCode::BAD_REQUEST);
                };
                at(app_state, request, &path, method.clone()).await
            }
            _ => nothing(StatusCode::BAD_REQUEST),
        }
    }
}
