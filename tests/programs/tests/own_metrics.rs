//! Metrics of the program on the metrics port of the server.

use std::sync::Arc;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;
use pytriton::prelude::*;
use pytriton::testing;

mod http;

#[derive(Default)]
struct Metrics {
    negative: Counter,
}

#[pytriton::model(name = "Absolute", max_batch_size = 8)]
#[batch]
fn absolute(x: ArrayView2<f32>, metrics: &Arc<Metrics>) -> Array2<f32> {
    metrics
        .negative
        .inc_by(x.iter().filter(|x| **x < 0.0).count() as u64);
    x.mapv(f32::abs)
}

#[test]
fn negative_numbers_are_counted() {
    let metrics = Metrics::default();
    let mut registry = Registry::default();
    registry.register(
        "negative_numbers",
        "Negative inputs",
        metrics.negative.clone(),
    );
    let served =
        testing::serve_registered_with(|server| server.state(Arc::new(metrics)).metrics(registry));
    let served = served.unwrap();
    let client = served.client("Absolute").unwrap();
    client
        .infer_batch([&array![[-1.0_f32, 2.0], [-3.0, -4.0]]])
        .unwrap();
    let text = http::request(served.metrics(), "GET", "/metrics", "");
    assert!(text.contains("\nnegative_numbers_total 3\n"), "{text}");
}
