use pytriton_core::model::ModelSpec;
use pytriton_core::statistics::{
    BatchStatistics, ModelStatistics, ResponseStatistics, StatisticDuration,
};
use pytriton_protocol::proto::{
    self, InferBatchStatistics, InferResponseStatistics, InferStatistics,
};

/// Converts the statistics of a model.
pub fn statistics(spec: &ModelSpec, statistics: &ModelStatistics) -> proto::ModelStatistics {
    let totals = &statistics.totals;
    let batches = statistics.batches.iter();
    let responses = statistics.responses.iter();
    proto::ModelStatistics {
        name: spec.name.to_owned().to_string(),
        version: spec.version.to_string(),
        last_inference: totals.last_inference_ms(),
        inference_count: totals.inference_count,
        execution_count: totals.execution_count,
        inference_stats: Some(InferStatistics {
            success: duration(totals.success),
            fail: duration(totals.fail),
            queue: duration(totals.queue),
            compute_input: duration(totals.compute_input),
            compute_infer: duration(totals.compute_infer),
            compute_output: duration(totals.compute_output),
            cache_hit: duration(totals.cache_hit),
            cache_miss: duration(totals.cache_miss),
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::{Duration, UNIX_EPOCH};

    use pytriton_core::statistics::ModelTotals;
    use pytriton_core::testing::IDENTITY;

    use super::*;

    #[test]
    fn each_statistic_has_its_field() {
        let spec = IDENTITY.spec().unwrap();
        let pair = |count| StatisticDuration {
            count,
            ns: count + 100,
        };
        let batch = BatchStatistics {
            compute_input: pair(1),
            compute_infer: pair(2),
            compute_output: pair(3),
        };
        let response = ResponseStatistics {
            compute_infer: pair(4),
            compute_output: pair(5),
            success: pair(6),
            fail: pair(7),
        };
        let given = ModelStatistics {
            totals: ModelTotals {
                last_inference: Some(UNIX_EPOCH + Duration::from_millis(10)),
                inference_count: 11,
                execution_count: 12,
                success: pair(13),
                fail: pair(14),
                queue: pair(15),
                compute_input: pair(16),
                compute_infer: pair(17),
                compute_output: pair(18),
                cache_hit: pair(19),
                cache_miss: pair(20),
                ..ModelTotals::default()
            },
            batches: BTreeMap::from([(8, batch)]),
            responses: BTreeMap::from([(2, response)]),
        };
        let pair = |count| duration(pair(count));
        let got = statistics(&spec, &given);
        assert_eq!((&*got.name, &*got.version), ("Identity", "1"));
        assert_eq!(
            [got.last_inference, got.inference_count, got.execution_count],
            [10, 11, 12]
        );
        let expected = InferStatistics {
            success: pair(13),
            fail: pair(14),
            queue: pair(15),
            compute_input: pair(16),
            compute_infer: pair(17),
            compute_output: pair(18),
            cache_hit: pair(19),
            cache_miss: pair(20),
        };
        assert_eq!(got.inference_stats, Some(expected));
        let expected = InferBatchStatistics {
            batch_size: 8,
            compute_input: pair(1),
            compute_infer: pair(2),
            compute_output: pair(3),
        };
        assert_eq!(got.batch_stats, [expected]);
        let expected = InferResponseStatistics {
            compute_infer: pair(4),
            compute_output: pair(5),
            success: pair(6),
            fail: pair(7),
            empty_response: duration(StatisticDuration::default()),
            cancel: duration(StatisticDuration::default()),
        };
        assert_eq!(got.response_stats.len(), 1);
        assert_eq!(got.response_stats["2"], expected);
    }
}
