use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{Response, StatusCode};
use axum::routing::get;
use pytriton_core::model::ModelSpec;
use pytriton_core::offload::report;
use pytriton_core::statistics::ModelTotals;
use pytriton_core::tracked_bytes::TrackedBytes;
use pytriton_engine::tls::Certificates;
use pytriton_engine::trace::dropped_spans;

use crate::metrics::{
    ProgramMetrics, System, cache_exposition, calls_exposition, certificate_exposition, exposition,
    latencies_exposition, load_exposition, process_exposition, spans_exposition,
};
use crate::repository::{Model, ModelRepository};

use super::response::respond;
use super::text_cache::TextCache;

/// The sources of metrics.
#[derive(Debug)]
pub struct Metrics {
    models: Arc<ModelRepository>,
    system: System,
    certificates: Vec<Certificates>,
    program: Option<ProgramMetrics>,
    cache: TextCache,
}

impl Metrics {
    /// Creates the source of the metrics of these models and certificates.
    pub fn new(models: Arc<ModelRepository>, certificates: Vec<Certificates>) -> Self {
        Self {
            models,
            system: System::default(),
            certificates,
            program: None,
            cache: TextCache::default(),
        }
    }

    /// Adds metrics of the program.
    pub fn with_program(self, program: Option<ProgramMetrics>) -> Self {
        Self { program, ..self }
    }

    /// Returns the current metrics in Prometheus' text format. If many clients do not read their
    /// responses, a recent text is reused.
    pub(crate) async fn text(self: &Arc<Self>) -> TrackedBytes {
        let program = match &self.program {
            Some(program) => program.text().await,
            None => "".into(),
        };
        let weight = weight(&self.models).saturating_add(program.len());
        let metrics = Arc::clone(self);
        let text = move || metrics.cache.text(|| metrics.write() + &program);
        report(weight, text).await
    }

    fn write(&self) -> String {
        let mut text = write_models(&self.models);
        text += &self.system.exposition();
        text += &process_exposition();
        if let Some(spans) = dropped_spans() {
            text += &spans_exposition(spans);
        }
        if let Some(usage) = self.models.cache() {
            text += &cache_exposition(&usage);
        }
        let certificates = self.certificates.iter();
        let expiries: Vec<_> = certificates
            .map(|certificates| (certificates.port(), certificates.expiry().seconds()))
            .collect();
        text += &certificate_exposition(&expiries);
        text
    }
}

/// Returns the metrics of models in the same format.
pub(super) async fn models_text(models: &Arc<ModelRepository>) -> String {
    let repository = Arc::clone(models);
    report(weight(models), move || write_models(&repository)).await
}

/// The approximate number of bytes per model.
const BYTES_PER_MODEL: usize = 2 << 10;

/// Quantiles of many models are expensive.
fn weight(models: &ModelRepository) -> usize {
    match models.metrics_config().summary_latencies {
        true => usize::MAX,
        false => models.models().len() * BYTES_PER_MODEL,
    }
}

fn write_models(set: &ModelRepository) -> String {
    let loaded = set.loaded();
    let mut counted: Vec<_> = loaded.serving().map(counts).collect();
    for model in &loaded.draining {
        let (spec, totals) = counts(model);
        let is_next = |(next, _): &&mut (&ModelSpec, _)| {
            (&next.name, next.version) == (&spec.name, spec.version)
        };
        match counted.iter_mut().find(is_next) {
            // The counters of the replacement start anew, but both have requests.
            Some((_, next)) => {
                next.pending += totals.pending;
                next.running += totals.running;
            }
            None => counted.push((spec, totals)),
        }
    }
    let unloading = loaded.draining.iter().filter(|model| {
        let ModelSpec { name, version, .. } = &**model.spec();
        !loaded.serves(name, *version)
    });
    let distributed: Vec<_> = loaded
        .serving()
        .chain(unloading)
        .filter_map(|model| Some((model.spec().as_ref(), model.recorder().latencies()?)))
        .collect();
    let config = set.metrics_config();
    let mut text = exposition(&counted, config.counter_latencies);
    text += &latencies_exposition(&distributed, config);
    text += &load_exposition(&counted);
    text += &calls_exposition(&set.calls());
    text
}

fn counts(model: &Arc<Model>) -> (&ModelSpec, ModelTotals) {
    (model.spec(), model.totals())
}

/// Returns the routes of the metrics port: `GET /metrics` in Prometheus' text format.
pub fn metrics_router(sources: Arc<Metrics>) -> Router {
    Router::new()
        .route("/metrics", get(metrics))
        .with_state(sources)
}

async fn metrics(State(metrics): State<Arc<Metrics>>) -> Response<Body> {
    let content_type = "text/plain; charset=utf-8";
    respond(StatusCode::OK, content_type, metrics.text().await).map(Body::new)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::body::to_bytes;
    use axum::http::Request;
    use pytriton_core::registry::Registry;
    use pytriton_engine::Limits;
    use pytriton_engine::options::ControlOptions;
    use tower::ServiceExt;

    use crate::metrics::MetricsConfig;
    use crate::testing::{GATE, IDENTITY, app_state, request};

    use super::*;

    /// The counters, latencies and load of a model with a running call, and the load of the server.
    const OF_BUSY: [&str; 4] = [
        "nv_inference_request_success{model=\"Identity\",version=\"1\"} 1",
        "nv_inference_first_response_histogram_ms_count{model=\"Identity\",version=\"1\"} 1",
        "pytriton_requests_running{model=\"Identity\",version=\"1\"} 1",
        "pytriton_server_requests_running 1",
    ];

    #[tokio::test(flavor = "multi_thread")]
    async fn a_model_that_is_unloading_has_metrics_until_its_last_response() {
        let gate = GATE.lock().await;
        let metrics = MetricsConfig {
            histogram_latencies: true,
            ..MetricsConfig::default()
        };
        let registry = Registry::new(&[&IDENTITY]).unwrap();
        let (limits, control) = (Limits::default(), ControlOptions::default());
        let models = ModelRepository::observed(&registry, &limits, control, metrics).await;
        let models = Arc::new(models.unwrap());
        let model = models.model("Identity", None).unwrap();
        let request = |value| request(model.spec(), 1, value);
        model.infer(request(1.0)).await.unwrap();
        let blocked = tokio::spawn({
            let (model, request) = (Arc::clone(&model), request(-5.0));
            async move { model.infer(request).await.map(drop) }
        });
        while model.load().running == 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let missing = |text: &str| {
            OF_BUSY
                .iter()
                .find(|line| !text.lines().any(|at| at == **line))
        };
        assert_eq!(missing(&write_models(&models)), None, "loaded");
        let unloading = models.unload("Identity", 1).await.unwrap();
        assert_eq!(missing(&write_models(&models)), None, "unloading");
        // Its counters start anew, but the request is still running.
        models
            .load(&IDENTITY.registration().unwrap())
            .await
            .unwrap();
        let text = write_models(&models);
        assert!(
            text.contains(OF_BUSY[2]) && text.contains(OF_BUSY[3]) && !text.contains(OF_BUSY[0]),
            "{text}"
        );
        let _ = models.unload("Identity", 1).await.unwrap();
        drop(gate);
        blocked.await.unwrap().unwrap();
        drop((model, unloading));
        let ended = async {
            while write_models(&models).contains("Identity") {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(10), ended)
            .await
            .unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn unread_responses_keep_few_documents() {
        const MIB: usize = 1 << 20;
        let app = app_state(&[&IDENTITY], Limits::default()).await;
        let sources = Arc::new(Metrics::new(Arc::clone(&app.models), Vec::new()));
        let ask = async || {
            let request = Request::get("/metrics").body(Body::empty()).unwrap();
            let router = metrics_router(Arc::clone(&sources));
            router.oneshot(request).await.unwrap().into_body()
        };
        let text = to_bytes(ask().await, usize::MAX).await.unwrap().len();
        assert_eq!(sources.cache.held(), 0);
        let mut unread = Vec::new();
        for _ in 0..16 * MIB / text {
            unread.push(ask().await);
        }
        let held = sources.cache.held();
        assert!((4 * MIB..6 * MIB).contains(&held), "{held}");
        let last = to_bytes(ask().await, usize::MAX).await.unwrap();
        assert!(last.starts_with(b"# HELP "), "{last:?}");
        drop((unread, last));
        assert_eq!(sources.cache.held(), 0);
    }
}
