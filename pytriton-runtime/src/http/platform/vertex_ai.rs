use std::sync::Arc;

use axum::http::{Method, Request, StatusCode};

use crate::service::{AppState, Operation};
use crate::tracked_bytes::TrackedBytes;

use super::super::answer::{Answer, Failure, PLAIN, allow, answer as with};
use super::super::body::Body;
use super::super::metrics::Metrics;
use super::super::route::{POST, Route};
use super::binary;
use super::request::{at, nothing};

/// The header that selects another path than that of the default model.
const REDIRECT: &str = "x-vertex-ai-triton-redirect";

const BINARY: &str = "application/vnd.vertex-ai-triton.binary+json;json-header-size=";

/// The paths that a redirected request may reach, according to Triton's patterns. Generation,
/// logging and tracing are excluded.
const REACHED: [&str; 5] = [
    "/v2/health/",
    "/v2/models/",
    "/v2/repository/",
    "/v2/systemsharedmemory/",
    "/v2/cudasharedmemory/",
];
const NOT_REACHED: [&str; 3] = ["/generate", "/generate_stream", "/trace/setting"];

/// The routes of Vertex AI.
#[derive(Debug)]
pub(crate) struct VertexAi {
    /// The path of health checks, from the environment.
    pub(crate) health: String,
    /// The path of predictions, from the environment.
    pub(crate) predict: String,
    /// The default model.
    pub(crate) model: String,
    /// The metrics, if they are enabled.
    pub(crate) metrics: Option<Arc<Metrics>>,
}

impl VertexAi {
    pub(super) fn is_health(&self, path: &str) -> bool {
        path == self.health
    }

    pub(super) async fn answer<B: Body>(
        &self,
        app_state: &AppState,
        mut request: Request<B>,
    ) -> Answer {
        let path = request.uri().path();
        let method = request.method().clone();
        if path == self.health {
            return at(app_state, request, "/v2/health/ready", method).await;
        }
        if path != self.predict {
            return nothing(StatusCode::BAD_REQUEST);
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
            allow(&mut refused, POST);
            return refused;
        }
        let path = format!("/{}", String::from_utf8_lossy(redirect.as_bytes()));
        if path == "/metrics"
            && let Some(metrics) = &self.metrics
        {
            // The access rule for statistics also applies to metrics.
            return match app_state.admit(Operation::Statistics, request.headers()) {
                Ok(()) => with(
                    StatusCode::OK,
                    PLAIN,
                    TrackedBytes::of_server(metrics.text().await),
                ),
                Err(error) => Failure::plain(error).into(),
            };
        }
        match redirected(&path) {
            Some(method) => at(app_state, request, &path, method).await,
            None => nothing(StatusCode::BAD_REQUEST),
        }
    }
}

/// Returns the method of the redirected request, or `None` if the path cannot be reached.
fn redirected(path: &str) -> Option<Method> {
    let reached = path == "/v2" || REACHED.iter().any(|reached| path.starts_with(reached));
    if !reached || NOT_REACHED.iter().any(|not| path.ends_with(not)) {
        return None;
    }
    let methods = Route::parse(path)?.methods();
    Some(match methods.contains(&Method::POST) {
        true => Method::POST,
        false => Method::GET,
    })
}
