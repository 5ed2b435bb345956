//! A program with its own metrics.

use std::env;
use std::process::ExitCode;
use std::sync::Arc;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;
use pytriton::Cli;
use pytriton::prelude::*;

/// The number of processed rows.
#[derive(Default)]
struct Rows(Counter);

#[pytriton::model(name = "Double", max_batch_size = 4)]
#[batch]
fn double(x: ArrayView2<f32>, rows: &Arc<Rows>) -> Array2<f32> {
    rows.0.inc_by(x.nrows() as u64);
    &x * 2.0
}

fn main() -> ExitCode {
    let rows = Rows::default();
    let name = env::var("OWN_METRICS").unwrap_or_else(|_| "own_rows".to_owned());
    let mut registry = Registry::default();
    registry.register(name, "Processed rows", rows.0.clone());
    Cli::new(env!("CARGO_BIN_NAME"), env!("CARGO_PKG_VERSION"))
        .state(|_| Ok(rows))
        .metrics(registry)
        .run()
}
