use pytriton_core::model::ModelSpec;
use pytriton_core::statistics::{
    BatchStatistics, ModelStatistics, ResponseStatistics, StatisticDuration,
};
use pytriton_protocol::proto::{
    self, InferBatchStatistics, InferResponseStatistics, InferStatistics,
};

/// Converts the statistics of a model.
pub fn statistics(spec: &ModelSpec, statistics: &ModelStatistics) -> proto::ModelStatistics {
    let batches = statistics.batches.iter();
    let responses = statistics.responses.iter();
    proto::ModelStatistics {
        name: spec.name.to_owned().to_string(),
        version: spec.version.to_string(),
        last_inference: statistics.last_inference,
        inference_count: statistics.inference_count,
        execution_count: statistics.execution_count,
        inference_stats: Some(InferStatistics {
            success: duration(statistics.success),
            fail: duration(statistics.fail),
            queue: duration(statistics.queue),
            compute_input: duration(statistics.compute_input),
            compute_infer: duration(statistics.compute_infer),
            compute_output: duration(statistics.compute_output),
            cache_hit: duration(statistics.cache_hit),
            cache_miss: duration(statistics.cache_miss),
        }),
        batch_stats: batches
            .map(|(&size, batch)| self::batch(size, batch))
            .collect(),
        response_stats: responses
            .map(|(index, responses)| (index.to_string(), response(responses)))
            .collect(),
        ..proto::ModelStatistics::default()
    }
}

fn batch(size: usize, batch: &BatchStatistics) -> InferBatchStatistics {
    InferBatchStatistics {
        batch_size: size as u64,
        compute_input: duration(batch.compute_input),
        compute_infer: duration(batch.compute_infer),
        compute_output: duration(batch.compute_output),
    }
}

fn response(responses: &ResponseStatistics) -> InferResponseStatistics {
    InferResponseStatistics {
        compute_infer: duration(responses.compute_infer),
        compute_output: duration(responses.compute_output),
        success: duration(responses.success),
        fail: duration(responses.fail),
        empty_response: duration(StatisticDuration::default()),
        cancel: duration(StatisticDuration::default()),
    }
}

/// A duration is present even if it is zero, because clients read its fields without checking.
#[expect(
    clippy::unnecessary_wraps,
    reason = "every field of protobuf's messages is optional"
)]
fn duration(duration: StatisticDuration) -> Option<proto::StatisticDuration> {
    Some(proto::StatisticDuration {
        count: duration.count,
        ns: duration.ns,
    })
}
