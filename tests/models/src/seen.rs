//! Functions that log, on every kind of thread.

use std::time::Duration;

use pytriton::prelude::*;

/// Logs the number of rows in a span of its own; fails for negative values.
fn log_rows(x: ArrayView2<f32>) -> Result<Array2<f32>, String> {
    let _own = tracing::info_span!("own", rows = x.nrows()).entered();
    tracing::info!("seen");
    match x.iter().any(|value| *value < 0.0) {
        true => Err("below zero".to_owned()),
        false => Ok(x.to_owned()),
    }
}

#[pytriton::model(
    name = "Seen",
    max_batch_size = 8,
    preferred_batch_size = [2],
    max_queue_delay_microseconds = 2_000_000
)]
#[batch]
fn seen(x: ArrayView2<f32>) -> Result<Array2<f32>, String> {
    log_rows(x)
}

#[pytriton::model(name = "SeenAtOnce", max_batch_size = 8)]
fn seen_at_once(x: ArrayView2<f32>) -> Result<Array2<f32>, String> {
    log_rows(x)
}

#[pytriton::model(name = "SeenAsync", max_batch_size = 8)]
async fn seen_async(x: ArrayView2<f32>) -> Result<Array2<f32>, String> {
    tokio::time::sleep(Duration::from_millis(5)).await;
    log_rows(x)
}

struct Watched;

#[pytriton::model(name = "SeenByState", max_batch_size = 8)]
impl Watched {
    #[load]
    fn load() -> Self {
        Self
    }

    #[infer]
    fn seen_by_state(&self, x: ArrayView2<f32>) -> Result<Array2<f32>, String> {
        log_rows(x)
    }
}
