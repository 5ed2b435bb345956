use std::fmt::Display;

use pytriton_core::model::ModelSpec;
use pytriton_core::statistics::ModelStatistics;

use super::family::Family;

/// The accessor of a value.
type Value = fn(&ModelSpec, &ModelStatistics) -> f64;

/// Load metrics beyond Triton's: running requests, instances, and their busy time.
pub fn load_exposition(models: &[(&ModelSpec, ModelStatistics)]) -> String {
    let mut text = String::new();
    let (name, help) = (
        "pytriton_requests_running",
        "Number of requests that are being executed",
    );
    let running: Value = |_, statistics| statistics.running as f64;
    write(Family::gauge(&mut text, name, help), models, running);
    let (name, help) = ("pytriton_instances", "Number of instances of the model");
    let instances: Value = |spec, _| f64::from(spec.instances.count());
    write(Family::gauge(&mut text, name, help), models, instances);
    let (name, help) = (
        "pytriton_instance_busy_seconds_total",
        "Total execution time of completed batches, over all instances",
    );
    let busy: Value = |_, statistics| statistics.busy as f64 / 1e9;
    write(Family::counter(&mut text, name, help), models, busy);
    text
}

/// The number of spans that were not exported.
pub fn spans_exposition(dropped: u64) -> String {
    let mut text = String::new();
    let (name, help) = (
        "pytriton_spans_dropped_total",
        "Number of spans that were not exported, because the queue was full or the collector did not accept them",
    );
    Family::counter(&mut text, name, help).sample(&[], &dropped);
    text
}

fn write(mut family: Family<'_>, models: &[(&ModelSpec, ModelStatistics)], value: Value) {
    for (spec, statistics) in models {
        let labels: [(&str, &dyn Display); 2] = [("model", &spec.name), ("version", &spec.version)];
        family.sample(&labels, &value(spec, statistics));
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::IDENTITY;

    use super::*;

    #[test]
    fn running_requests_are_reported() {
        let spec = IDENTITY.spec().unwrap();
        let statistics = ModelStatistics {
            running: 3,
            ..ModelStatistics::default()
        };
        let text = load_exposition(&[(&spec, statistics)]);
        let samples = text.lines().filter(|line| !line.starts_with('#'));
        let samples: Vec<_> = samples.collect();
        let expected = [
            r#"pytriton_requests_running{model="Identity",version="1"} 3"#,
            r#"pytriton_instances{model="Identity",version="1"} 1"#,
            r#"pytriton_instance_busy_seconds_total{model="Identity",version="1"} 0"#,
        ];
        assert_eq!(samples, expected);
    }
}
