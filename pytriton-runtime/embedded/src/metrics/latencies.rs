use std::fmt::Display;

use pytriton_core::model::ModelSpec;
use pytriton_core::statistics::{Histogram, Histograms, Latencies, Summaries, Summary};

use super::MetricsConfig;
use super::family::Family;

/// A histogram: its name, its help, its units per second, and its accessor.
type HistogramFamily = (
    &'static str,
    &'static str,
    f64,
    fn(&Histograms) -> &Histogram,
);

/// Those of Triton since 24.11, and ours.
const HISTOGRAMS: [HistogramFamily; 4] = [
    (
        "nv_inference_first_response_histogram_ms",
        "Duration from request to first response in milliseconds",
        1e3,
        |histograms| &histograms.first_response,
    ),
    (
        "pytriton_request_duration_seconds",
        "Duration of successful requests from their arrival to their response (includes cached requests)",
        1.0,
        |histograms| &histograms.request,
    ),
    (
        "pytriton_queue_duration_seconds",
        "Duration for which successful requests waited (includes cached requests)",
        1.0,
        |histograms| &histograms.queue,
    ),
    (
        "pytriton_compute_duration_seconds",
        "Duration for which successful requests were executed, with their inputs and outputs (does not include cached requests)",
        1.0,
        |histograms| &histograms.compute,
    ),
];

/// A summary: its name, its help, its accessor, and whether it exists only for models with or
/// without a response cache.
type SummaryFamily = (
    &'static str,
    &'static str,
    fn(&Summaries) -> &Summary,
    Option<bool>,
);

/// Triton's summaries, in its order.
///
/// Source: `Metrics::Metrics` and `MetricModelReporter::InitializeSummaries` of Triton 2.51.
const SUMMARIES: [SummaryFamily; 7] = [
    (
        "nv_inference_request_summary_us",
        "Summary of inference request duration in microseconds (includes cached requests)",
        |summaries| &summaries.request,
        Some(false),
    ),
    (
        "nv_inference_queue_summary_us",
        "Summary of inference queuing duration in microseconds (includes cached requests)",
        |summaries| &summaries.queue,
        None,
    ),
    (
        "nv_inference_compute_input_summary_us",
        "Cumulative compute input duration in microseconds (does not include cached requests)",
        |summaries| &summaries.compute_input,
        None,
    ),
    (
        "nv_inference_compute_infer_summary_us",
        "Cumulative compute inference duration in microseconds (does not include cached requests)",
        |summaries| &summaries.compute_infer,
        None,
    ),
    (
        "nv_inference_compute_output_summary_us",
        "Cumulative inference compute output duration in microseconds (does not include cached requests)",
        |summaries| &summaries.compute_output,
        None,
    ),
    (
        "nv_cache_hit_summary_per_model",
        "Summary of cache hit duration per model, in microseconds",
        |summaries| &summaries.cache_hit,
        Some(true),
    ),
    (
        "nv_cache_miss_summary_per_model",
        "Summary of cache miss (insert+lookup) duration per model, in microseconds",
        |summaries| &summaries.cache_miss,
        Some(true),
    ),
];

/// The latency distributions that `--metrics-config` enables.
pub fn latencies_exposition(models: &[(&ModelSpec, Latencies)], config: &MetricsConfig) -> String {
    let mut text = String::new();
    if config.histogram_latencies {
        for family in HISTOGRAMS {
            write_histograms(&mut text, family, models);
        }
    }
    if config.summary_latencies {
        for family in SUMMARIES {
            write_summaries(&mut text, family, models, &config.summary_quantiles);
        }
    }
    text
}

fn write_histograms(
    text: &mut String,
    (name, help, unit, of): HistogramFamily,
    models: &[(&ModelSpec, Latencies)],
) {
    let mut family = Family::histogram(text, name, help);
    for (spec, latencies) in models {
        let Some(histogram) = latencies.histograms.as_ref().map(of) else {
            continue;
        };
        let labels: [(&str, &dyn Display); 2] = [("model", &spec.name), ("version", &spec.version)];
        let value = |ns: u64| ns as f64 * unit / 1e9;
        family.suffixed_sample("_count", &labels, &histogram.count());
        family.suffixed_sample("_sum", &labels, &value(histogram.ns()));
        let bounds = histogram
            .buckets()
            .map(|(bound, count)| (value(bound), count));
        for (bound, count) in bounds {
            family.suffixed_sample("_bucket", &[labels[0], labels[1], ("le", &bound)], &count);
        }
        let last = [labels[0], labels[1], ("le", &"+Inf")];
        family.suffixed_sample("_bucket", &last, &histogram.count());
    }
}

fn write_summaries(
    text: &mut String,
    (name, help, of, cached): SummaryFamily,
    models: &[(&ModelSpec, Latencies)],
    quantiles: &[f64],
) {
    let is_reported =
        |spec: &ModelSpec| cached.is_none_or(|cached| cached == spec.call_options.response_cache);
    let mut models = models
        .iter()
        .filter(|(spec, _)| is_reported(spec))
        .peekable();
    if models.peek().is_none() {
        return;
    }
    let mut family = Family::summary(text, name, help);
    for (spec, latencies) in models {
        let Some(summary) = latencies.summaries.as_ref().map(of) else {
            continue;
        };
        let labels: [(&str, &dyn Display); 2] = [("model", &spec.name), ("version", &spec.version)];
        family.suffixed_sample("_count", &labels, &summary.count());
        family.suffixed_sample("_sum", &labels, &(summary.ns() / 1000));
        for (quantile, value) in quantiles.iter().zip(summary.quantiles(quantiles)) {
            let value = value.map_or(f64::NAN, |ns| ns as f64 / 1e3);
            family.sample(&[labels[0], labels[1], ("quantile", quantile)], &value);
        }
    }
}
