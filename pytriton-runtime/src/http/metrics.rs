use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::get;

use crate::heavy::by_weight;
use crate::metrics::{
    System, cache_exposition, exposition, latencies_exposition, load_exposition,
    process_exposition, spans_exposition,
};
use crate::serving::ModelSet;
use crate::trace::dropped_spans;

/// What the metrics port asks.
#[derive(Debug)]
struct Sources {
    models: Arc<ModelSet>,
    system: System,
}

/// The routes of the metrics port: `GET /metrics` in Prometheus' text format.
pub fn metrics_router(models: Arc<ModelSet>) -> Router {
    let sources = Sources {
        models,
        system: System::default(),
    };
    Router::new()
        .route("/metrics", get(metrics))
        .with_state(Arc::new(sources))
}

async fn metrics(State(sources): State<Arc<Sources>>) -> impl IntoResponse {
    // Quantiles of many models take their time.
    let weight = match sources.models.metrics_config().summary_latencies {
        true => usize::MAX,
        false => 0,
    };
    let text = by_weight(weight, move || text(&sources)).await;
    ([(CONTENT_TYPE, "text/plain; charset=utf-8")], text)
}

fn text(sources: &Sources) -> String {
    let models = sources.models.models();
    let counted: Vec<_> = models
        .iter()
        .map(|model| (model.spec().as_ref(), model.statistics()))
        .collect();
    let distributed: Vec<_> = models
        .iter()
        .filter_map(|model| Some((model.spec().as_ref(), model.latencies()?)))
        .collect();
    let config = sources.models.metrics_config();
    let mut text = exposition(&counted, config.counter_latencies);
    text += &latencies_exposition(&distributed, config);
    text += &load_exposition(&counted);
    text += &sources.system.exposition();
    text += &process_exposition();
    if let Some(spans) = dropped_spans() {
        text += &spans_exposition(spans);
    }
    if let Some(usage) = sources.models.cache() {
        text += &cache_exposition(&usage);
    }
    text
}
