//! A program with its own arguments, states, route, metric, readiness check and functions at start
//! and stop.

mod lexicon;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::extract::Path;
use axum::http::StatusCode;
use axum::routing::{get, put};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;
use pytriton::Cli;
use pytriton::prelude::*;

use lexicon::Lexicon;

#[derive(clap::Args)]
struct Args {
    /// File with one word and its score per line
    #[arg(long, env = "LEXICON", value_name = "FILE")]
    lexicon: Option<PathBuf>,
}

/// The number of texts that have been scored.
struct Scored(Counter);

/// Scores texts: positive words count for a text, negative ones against it.
#[pytriton::model(name = "Score", client = Score, max_batch_size = 16)]
#[output(name = "score", shape = [1])]
#[batch]
fn score(
    #[input(shape = [1])] text: Array2<String>,
    lexicon: &Arc<Lexicon>,
    scored: &Arc<Scored>,
) -> Array2<f32> {
    scored.0.inc_by(text.len() as u64);
    text.map(|text| lexicon.score(text))
}

fn main() -> ExitCode {
    let scored = Counter::default();
    let mut metrics = Registry::default();
    metrics.register("scored_texts", "Texts that were scored", scored.clone());
    let is_paused = Arc::new(AtomicBool::new(false));
    let paused = Arc::clone(&is_paused);
    Cli::new(env!("CARGO_BIN_NAME"), env!("CARGO_PKG_VERSION"))
        .args::<Args>()
        .state(|args| Lexicon::open(args.lexicon.as_deref()))
        .state(|_| Ok(Scored(scored)))
        .metrics(metrics)
        .router(move |models, app| {
            let score = app.call::<Score>();
            let scored = async move |Path(text): Path<String>| -> Result<String, StatusCode> {
                let score = score.as_ref().ok_or(StatusCode::NOT_IMPLEMENTED)?;
                let scores = score.call(array![[text]]).await;
                scores.map_or(Err(StatusCode::BAD_GATEWAY), |y| Ok(y[[0, 0]].to_string()))
            };
            let paused = Arc::clone(&paused);
            // A load balancer that probes the readiness sends no further requests.
            let pause = async move |Path(value): Path<bool>| paused.store(value, Ordering::Relaxed);
            models
                .route("/score/{text}", get(scored))
                .route("/paused/{value}", put(pause))
        })
        .ready(move |_| !is_paused.load(Ordering::Relaxed))
        .on_start(|app| {
            let address = app.addresses().http().ok_or("this program needs HTTP")?;
            tracing::info!("scores texts at http://{address}/score/…");
            Ok(())
        })
        .on_stop(|app| {
            let scored = app.state::<Scored>().map_or(0, |scored| scored.0.get());
            tracing::info!("scored {scored} texts");
            Ok(())
        })
        .run()
}
