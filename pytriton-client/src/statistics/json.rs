use serde_json::Value;

use super::{BatchStatistics, Durations, InferenceStatistics, ModelStatistics};

impl ModelStatistics {
    /// Parses an entry of the `stats` route.
    pub(crate) fn from_json(entry: &Value) -> Self {
        let text = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
        let inference = &entry["inference_stats"];
        let batches = entry["batch_stats"].as_array().into_iter().flatten();
        Self {
            name: text("name"),
            version: text("version"),
            last_inference: number(&entry["last_inference"]),
            inference_count: number(&entry["inference_count"]),
            execution_count: number(&entry["execution_count"]),
            inference: InferenceStatistics {
                success: durations(&inference["success"]),
                fail: durations(&inference["fail"]),
                queue: durations(&inference["queue"]),
                compute_input: durations(&inference["compute_input"]),
                compute_infer: durations(&inference["compute_infer"]),
                compute_output: durations(&inference["compute_output"]),
                cache_hit: durations(&inference["cache_hit"]),
                cache_miss: durations(&inference["cache_miss"]),
            },
            batches: batches.map(batch).collect(),
        }
    }
}

fn batch(entry: &Value) -> BatchStatistics {
    BatchStatistics {
        batch_size: number(&entry["batch_size"]),
        compute_input: durations(&entry["compute_input"]),
        compute_infer: durations(&entry["compute_infer"]),
        compute_output: durations(&entry["compute_output"]),
    }
}

fn durations(entry: &Value) -> Durations {
    Durations::new(number(&entry["count"]), number(&entry["ns"]))
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_default()
}
