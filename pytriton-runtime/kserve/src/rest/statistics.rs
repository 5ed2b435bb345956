use std::collections::BTreeMap;

use pytriton_core::model::ModelSpec;
use pytriton_core::statistics::{
    BatchStatistics, ModelStatistics, ResponseStatistics, StatisticDuration,
};

use crate::json::JsonWriter;

/// Encodes the statistics of models as JSON.
///
/// Source: `TRITONSERVER_ServerModelStatistics` in Triton 2.51.
pub fn statistics_json<'a>(
    models: impl IntoIterator<Item = (&'a ModelSpec, ModelStatistics)>,
) -> Vec<u8> {
    let mut json = JsonWriter::with_capacity(1024);
    json.object(|json| {
        json.name("model_stats")
            .array(models, |json, (model, statistics)| {
                json.object(|json| entry(json, model, &statistics));
            });
    });
    json.finish()
}

fn entry(json: &mut JsonWriter, model: &ModelSpec, statistics: &ModelStatistics) {
    let totals = &statistics.totals;
    json.name("name").text(&model.name);
    json.name("version").text(&model.version.to_string());
    json.name("last_inference")
        .integer(totals.last_inference_ms());
    json.name("inference_count").integer(totals.inference_count);
    json.name("execution_count").integer(totals.execution_count);
    json.name("inference_stats").object(|json| {
        duration(json, "success", totals.success);
        duration(json, "fail", totals.fail);
        duration(json, "queue", totals.queue);
        duration(json, "compute_input", totals.compute_input);
        duration(json, "compute_infer", totals.compute_infer);
        duration(json, "compute_output", totals.compute_output);
        duration(json, "cache_hit", totals.cache_hit);
        duration(json, "cache_miss", totals.cache_miss);
    });
    json.name("response_stats").object(|json| {
        // Triton sorts the numbers as strings.
        let responses = statistics.responses.iter();
        let responses: BTreeMap<String, _> = responses
            .map(|(index, responses)| (index.to_string(), responses))
            .collect();
        for (index, responses) in &responses {
            json.key(index).object(|json| response(json, responses));
        }
    });
    json.name("batch_stats").array(&statistics.batches, batch);
    json.name("memory_usage").array([0; 0], JsonWriter::integer);
}

fn batch(json: &mut JsonWriter, (size, batch): (&usize, &BatchStatistics)) {
    json.object(|json| {
        json.name("batch_size").integer(*size);
        duration(json, "compute_input", batch.compute_input);
        duration(json, "compute_infer", batch.compute_infer);
        duration(json, "compute_output", batch.compute_output);
    });
}

fn response(json: &mut JsonWriter, responses: &ResponseStatistics) {
    duration(json, "compute_infer", responses.compute_infer);
    duration(json, "compute_output", responses.compute_output);
    duration(json, "success", responses.success);
    duration(json, "fail", responses.fail);
    duration(json, "empty_response", StatisticDuration::default());
    duration(json, "cancel", StatisticDuration::default());
}

fn duration(json: &mut JsonWriter, name: &'static str, duration: StatisticDuration) {
    json.name(name).object(|json| {
        json.name("count").integer(duration.count);
        json.name("ns").integer(duration.ns);
    });
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use pytriton_core::statistics::ModelTotals;
    use pytriton_core::testing::IDENTITY;

    use super::*;

    #[test]
    fn members_are_in_the_order_of_triton() {
        let spec = IDENTITY.spec().unwrap();
        let mut statistics = ModelStatistics {
            totals: ModelTotals {
                last_inference: Some(UNIX_EPOCH + Duration::from_millis(5)),
                inference_count: 3,
                execution_count: 2,
                ..ModelTotals::default()
            },
            ..ModelStatistics::default()
        };
        statistics.totals.success.add(2, 10);
        statistics.totals.cache_hit.add(1, 3);
        statistics.totals.cache_miss.add(2, 4);
        statistics
            .batches
            .entry(2)
            .or_default()
            .compute_infer
            .add(1, 9);
        statistics.responses.entry(1).or_default().success.add(1, 6);
        let text = String::from_utf8(statistics_json([(&spec, statistics)])).unwrap();
        assert_eq!(
            text,
            r#"{"model_stats":[{"name":"Identity","version":"1","last_inference":5,"inference_count":3,"execution_count":2,"inference_stats":{"success":{"count":2,"ns":20},"fail":{"count":0,"ns":0},"queue":{"count":0,"ns":0},"compute_input":{"count":0,"ns":0},"compute_infer":{"count":0,"ns":0},"compute_output":{"count":0,"ns":0},"cache_hit":{"count":1,"ns":3},"cache_miss":{"count":2,"ns":8}},"response_stats":{"1":{"compute_infer":{"count":0,"ns":0},"compute_output":{"count":0,"ns":0},"success":{"count":1,"ns":6},"fail":{"count":0,"ns":0},"empty_response":{"count":0,"ns":0},"cancel":{"count":0,"ns":0}}},"batch_stats":[{"batch_size":2,"compute_input":{"count":0,"ns":0},"compute_infer":{"count":1,"ns":9},"compute_output":{"count":0,"ns":0}}],"memory_usage":[]}]}"#
        );
    }
}
