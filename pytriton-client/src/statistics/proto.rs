use pytriton_protocol::proto::{self, StatisticDuration};

use super::{BatchStatistics, Durations, InferenceStatistics, ModelStatistics};

impl From<proto::ModelStatistics> for ModelStatistics {
    fn from(entry: proto::ModelStatistics) -> Self {
        let inference = entry.inference_stats.unwrap_or_default();
        Self {
            name: entry.name,
            version: entry.version,
            last_inference: entry.last_inference,
            inference_count: entry.inference_count,
            execution_count: entry.execution_count,
            inference: InferenceStatistics {
                success: durations(inference.success),
                fail: durations(inference.fail),
                queue: durations(inference.queue),
                compute_input: durations(inference.compute_input),
                compute_infer: durations(inference.compute_infer),
                compute_output: durations(inference.compute_output),
                cache_hit: durations(inference.cache_hit),
                cache_miss: durations(inference.cache_miss),
            },
            batches: entry
                .batch_stats
                .into_iter()
                .map(BatchStatistics::from)
                .collect(),
        }
    }
}

impl From<proto::InferBatchStatistics> for BatchStatistics {
    fn from(entry: proto::InferBatchStatistics) -> Self {
        Self {
            batch_size: entry.batch_size,
            compute_input: durations(entry.compute_input),
            compute_infer: durations(entry.compute_infer),
            compute_output: durations(entry.compute_output),
        }
    }
}

fn durations(entry: Option<StatisticDuration>) -> Durations {
    entry.map_or_else(Durations::default, |entry| {
        Durations::new(entry.count, entry.ns)
    })
}
