use pytriton_core::model::ModelSpec;
use pytriton_core::statistics::{FailureReason, ModelTotals, StatisticDuration};

use super::family::Family;

/// A counter of Triton's and its accessor.
type TritonCounter = (&'static str, &'static str, fn(&ModelTotals) -> u64);

/// The counter before the failures.
const SUCCESS: TritonCounter = (
    "nv_inference_request_success",
    "Number of successful inference requests, all batch sizes",
    |totals| totals.success.count,
);

/// The counters after the failures, in Triton's order.
const COUNTERS: [TritonCounter; 2] = [
    (
        "nv_inference_count",
        "Number of inferences performed (does not include cached requests)",
        |totals| totals.inference_count,
    ),
    (
        "nv_inference_exec_count",
        "Number of model executions performed (does not include cached requests)",
        |totals| totals.execution_count,
    ),
];

/// The sums of durations after them, in Triton's order.
const DURATIONS: [TritonCounter; 5] = [
    (
        "nv_inference_request_duration_us",
        "Cumulative inference request duration in microseconds (includes cached requests)",
        |totals| microseconds(totals.success),
    ),
    (
        "nv_inference_queue_duration_us",
        "Cumulative inference queuing duration in microseconds (includes cached requests)",
        |totals| microseconds(totals.queue),
    ),
    (
        "nv_inference_compute_input_duration_us",
        "Cumulative compute input duration in microseconds (does not include cached requests)",
        |totals| microseconds(totals.compute_input),
    ),
    (
        "nv_inference_compute_infer_duration_us",
        "Cumulative compute inference duration in microseconds (does not include cached requests)",
        |totals| microseconds(totals.compute_infer),
    ),
    (
        "nv_inference_compute_output_duration_us",
        "Cumulative inference compute output duration in microseconds (does not include cached requests)",
        |totals| microseconds(totals.compute_output),
    ),
];

/// The counters of models with a response cache, in Triton's order.
const CACHE_COUNTERS: [TritonCounter; 4] = [
    (
        "nv_cache_num_hits_per_model",
        "Number of cache hits per model",
        |totals| totals.cache_hit.count,
    ),
    (
        "nv_cache_hit_duration_per_model",
        "Total cache hit duration per model, in microseconds",
        |totals| microseconds(totals.cache_hit),
    ),
    (
        "nv_cache_num_misses_per_model",
        "Number of cache misses per model",
        |totals| totals.cache_miss.count,
    ),
    (
        "nv_cache_miss_duration_per_model",
        "Total cache miss (insert+lookup) duration per model, in microseconds",
        |totals| microseconds(totals.cache_miss),
    ),
];

/// The metrics of the models, in Triton's order, with or without durations.
///
/// Source: the `/metrics` of Triton 2.51.
pub fn exposition(models: &[(&ModelSpec, ModelTotals)], durations: bool) -> String {
    let mut text = String::new();
    counter(&mut text, SUCCESS, models.iter());
    failures(&mut text, models);
    let durations: &[TritonCounter] = if durations { &DURATIONS } else { &[] };
    for &family in COUNTERS.iter().chain(durations) {
        counter(&mut text, family, models.iter());
    }
    let cached = models
        .iter()
        .filter(|(spec, _)| spec.call_options.response_cache);
    if cached.clone().next().is_some() {
        for family in CACHE_COUNTERS {
            counter(&mut text, family, cached.clone());
        }
    }
    let mut pending = Family::gauge(
        &mut text,
        "nv_inference_pending_request_count",
        "Instantaneous number of pending requests awaiting execution per-model.",
    );
    for (spec, totals) in models {
        pending.sample(
            &[("model", &spec.name), ("version", &spec.version)],
            &totals.pending,
        );
    }
    text
}

fn counter<'a>(
    text: &mut String,
    (name, help, value): TritonCounter,
    models: impl Iterator<Item = &'a (&'a ModelSpec, ModelTotals)>,
) {
    let mut family = Family::counter(text, name, help);
    for (spec, totals) in models {
        let labels: [(&str, &dyn std::fmt::Display); 2] =
            [("model", &spec.name), ("version", &spec.version)];
        family.sample(&labels, &value(totals));
    }
}

fn failures(text: &mut String, models: &[(&ModelSpec, ModelTotals)]) {
    let mut family = Family::counter(
        text,
        "nv_inference_request_failure",
        "Number of failed inference requests, all batch sizes",
    );
    for (spec, totals) in models {
        for reason in FailureReason::ALL {
            let labels: [(&str, &dyn std::fmt::Display); 3] = [
                ("model", &spec.name),
                ("reason", &reason.label()),
                ("version", &spec.version),
            ];
            family.sample(&labels, &totals.failures[reason as usize]);
        }
    }
}

fn microseconds(duration: StatisticDuration) -> u64 {
    duration.ns / 1000
}

#[cfg(test)]
mod tests {
    use pytriton_core::model::CallOptions;
    use pytriton_core::registry::{ModelDeclaration, ModelOptions};

    use crate::testing::IDENTITY;

    use super::*;

    #[test]
    fn model_metrics_match_triton() {
        let spec = IDENTITY.spec().unwrap();
        let totals = ModelTotals {
            inference_count: 5,
            success: StatisticDuration { count: 2, ns: 7999 },
            failures: [1, 0, 3, 0],
            pending: 4,
            ..ModelTotals::default()
        };
        let text = exposition(&[(&spec, totals)], true);
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
        assert!(!text.contains("nv_cache"), "{text}");
    }

    #[test]
    fn cache_metrics_exist_only_for_cached_models() {
        let cached = ModelDeclaration {
            options: ModelOptions {
                name: "Cached",
                call_options: CallOptions::DEFAULT.response_cache(true),
                ..IDENTITY.options
            },
            ..IDENTITY
        }
        .spec();
        let (cached, other) = (cached.unwrap(), IDENTITY.spec().unwrap());
        let totals = ModelTotals {
            cache_hit: StatisticDuration { count: 3, ns: 4999 },
            cache_miss: StatisticDuration { count: 2, ns: 8000 },
            ..ModelTotals::default()
        };
        let models = [(&cached, totals), (&other, ModelTotals::default())];
        let text = exposition(&models, true);
        assert!(text.contains("_duration_us"));
        let text = exposition(&models, false);
        assert!(!text.contains("_duration_us"));
        let samples: Vec<_> = text
            .lines()
            .filter(|line| line.starts_with("nv_cache"))
            .collect();
        let expected = [
            r#"nv_cache_num_hits_per_model{model="Cached",version="1"} 3"#,
            r#"nv_cache_hit_duration_per_model{model="Cached",version="1"} 4"#,
            r#"nv_cache_num_misses_per_model{model="Cached",version="1"} 2"#,
            r#"nv_cache_miss_duration_per_model{model="Cached",version="1"} 8"#,
        ];
        assert_eq!(samples, expected);
    }
}
