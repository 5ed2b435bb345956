use crate::model::ModelSpec;
use crate::statistics::{FailureReason, ModelStatistics, StatisticDuration};

use super::family::Family;

/// One counter of Triton's and where its value stands.
type Counter = (&'static str, &'static str, fn(&ModelStatistics) -> u64);

/// The counters after the failures, in Triton's order.
const COUNTERS: [Counter; 7] = [
    (
        "nv_inference_count",
        "Number of inferences performed (does not include cached requests)",
        |statistics| statistics.inference_count,
    ),
    (
        "nv_inference_exec_count",
        "Number of model executions performed (does not include cached requests)",
        |statistics| statistics.execution_count,
    ),
    (
        "nv_inference_request_duration_us",
        "Cumulative inference request duration in microseconds (includes cached requests)",
        |statistics| microseconds(statistics.success),
    ),
    (
        "nv_inference_queue_duration_us",
        "Cumulative inference queuing duration in microseconds (includes cached requests)",
        |statistics| microseconds(statistics.queue),
    ),
    (
        "nv_inference_compute_input_duration_us",
        "Cumulative compute input duration in microseconds (does not include cached requests)",
        |statistics| microseconds(statistics.compute_input),
    ),
    (
        "nv_inference_compute_infer_duration_us",
        "Cumulative compute inference duration in microseconds (does not include cached requests)",
        |statistics| microseconds(statistics.compute_infer),
    ),
    (
        "nv_inference_compute_output_duration_us",
        "Cumulative inference compute output duration in microseconds (does not include cached requests)",
        |statistics| microseconds(statistics.compute_output),
    ),
];

/// The metrics of the models, in Triton's order.
///
/// Source: the `/metrics` of Triton 2.51.
pub fn exposition(models: &[(&ModelSpec, ModelStatistics)]) -> String {
    let mut text = String::new();
    let (name, help) = (
        "nv_inference_request_success",
        "Number of successful inference requests, all batch sizes",
    );
    counter(&mut text, name, help, models, |statistics| {
        statistics.success.count
    });
    failures(&mut text, models);
    for (name, help, value) in COUNTERS {
        counter(&mut text, name, help, models, value);
    }
    let mut pending = Family::gauge(
        &mut text,
        "nv_inference_pending_request_count",
        "Instantaneous number of pending requests awaiting execution per-model.",
    );
    for (spec, statistics) in models {
        pending.sample(
            &[("model", &spec.name), ("version", &spec.version)],
            &statistics.pending,
        );
    }
    text
}

fn counter(
    text: &mut String,
    name: &'static str,
    help: &str,
    models: &[(&ModelSpec, ModelStatistics)],
    value: fn(&ModelStatistics) -> u64,
) {
    let mut family = Family::counter(text, name, help);
    for (spec, statistics) in models {
        let labels: [(&str, &dyn std::fmt::Display); 2] =
            [("model", &spec.name), ("version", &spec.version)];
        family.sample(&labels, &value(statistics));
    }
}

fn failures(text: &mut String, models: &[(&ModelSpec, ModelStatistics)]) {
    let mut family = Family::counter(
        text,
        "nv_inference_request_failure",
        "Number of failed inference requests, all batch sizes",
    );
    for (spec, statistics) in models {
        for reason in FailureReason::ALL {
            let labels: [(&str, &dyn std::fmt::Display); 3] = [
                ("model", &spec.name),
                ("reason", &reason.label()),
                ("version", &spec.version),
            ];
            family.sample(&labels, &statistics.failures[reason as usize]);
        }
    }
}

fn microseconds(duration: StatisticDuration) -> u64 {
    duration.ns / 1000
}

#[cfg(test)]
mod tests {
    use crate::testing::IDENTITY;

    use super::*;

    #[test]
    fn writes_what_triton_writes() {
        let spec = ModelSpec::new(&IDENTITY).unwrap();
        let statistics = ModelStatistics {
            inference_count: 5,
            success: StatisticDuration { count: 2, ns: 7999 },
            failures: [1, 0, 3, 0],
            pending: 4,
            ..ModelStatistics::default()
        };
        let text = exposition(&[(&spec, statistics)]);
        for line in [
            "# TYPE nv_inference_request_success counter",
            "nv_inference_request_success{model=\"Identity\",version=\"1\"} 2",
            "nv_inference_request_failure{model=\"Identity\",reason=\"BACKEND\",version=\"1\"} 3",
            "nv_inference_count{model=\"Identity\",version=\"1\"} 5",
            "nv_inference_request_duration_us{model=\"Identity\",version=\"1\"} 7",
            "# TYPE nv_inference_pending_request_count gauge",
            "nv_inference_pending_request_count{model=\"Identity\",version=\"1\"} 4",
        ] {
            assert!(text.lines().any(|got| got == line), "{line} in\n{text}");
        }
    }
}
