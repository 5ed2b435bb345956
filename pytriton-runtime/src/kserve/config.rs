use std::sync::Arc;

use crate::model::{DynamicBatching, ModelSpec, QueuePolicy, TensorSpec, TimeoutAction};

use super::json::JsonWriter;
use super::metadata::PLATFORM;

/// A model's configuration as Triton shows it: every field of `ModelConfig`, defaults included.
///
/// `versions` are those that are served under its name.
///
/// Source: `ModelConfigToJson` in Triton 2.51.
pub fn config_json(model: &ModelSpec, versions: &[u32]) -> Vec<u8> {
    let mut json = JsonWriter::with_capacity(1024);
    json.object(|json| {
        json.name("name").text(&model.name);
        json.name("platform").text("");
        json.name("backend").text(PLATFORM);
        json.name("runtime").text("");
        json.name("version_policy").object(|json| match versions {
            [] | [_] => json
                .name("latest")
                .object(|json| json.name("num_versions").integer(1)),
            _ => empty_object(json, "all"),
        });
        json.name("max_batch_size").integer(model.max_batch_size);
        json.name("input").array(&model.inputs, input);
        json.name("output").array(&model.outputs, output);
        empty_array(json, "batch_input");
        empty_array(json, "batch_output");
        json.name("optimization").object(optimization);
        if let Some(batching) = &model.dynamic_batching {
            json.name("dynamic_batching")
                .object(|json| dynamic_batching(json, model, batching));
        }
        json.name("instance_group").array([model], instance_group);
        json.name("default_model_filename").text("");
        empty_object(json, "cc_model_filenames");
        empty_object(json, "metric_tags");
        json.name("parameters")
            .object(|json| parameters(json, &model.parameters));
        empty_array(json, "model_warmup");
        json.name("model_transaction_policy")
            .object(|json| json.name("decoupled").boolean(false));
        if model.response_cache {
            enabled(json.name("response_cache"));
        }
    });
    json.finish()
}

fn input(json: &mut JsonWriter, tensor: &TensorSpec) {
    json.object(|json| {
        head(json, tensor);
        json.name("format").text("FORMAT_NONE");
        dims(json, tensor);
        json.name("is_shape_tensor").boolean(false);
        json.name("allow_ragged_batch").boolean(false);
        json.name("optional").boolean(tensor.optional);
        json.name("is_non_linear_format_io").boolean(false);
    });
}

fn output(json: &mut JsonWriter, tensor: &TensorSpec) {
    json.object(|json| {
        head(json, tensor);
        dims(json, tensor);
        json.name("label_filename").text("");
        json.name("is_shape_tensor").boolean(false);
        json.name("is_non_linear_format_io").boolean(false);
    });
}

fn head(json: &mut JsonWriter, tensor: &TensorSpec) {
    json.name("name").text(&tensor.name);
    json.name("data_type").text(tensor.datatype.config_name());
}

fn dims(json: &mut JsonWriter, tensor: &TensorSpec) {
    json.name("dims")
        .array(tensor.dims.iter().copied(), JsonWriter::integer);
}

fn optimization(json: &mut JsonWriter) {
    json.name("priority").text("PRIORITY_DEFAULT");
    enabled(json.name("input_pinned_memory"));
    enabled(json.name("output_pinned_memory"));
    json.name("gather_kernel_buffer_threshold").integer(0);
    json.name("eager_batching").boolean(false);
}

fn enabled(json: &mut JsonWriter) {
    json.object(|json| json.name("enable").boolean(true));
}

fn dynamic_batching(json: &mut JsonWriter, model: &ModelSpec, batching: &DynamicBatching) {
    let preferred = match batching.preferred_batch_size.as_slice() {
        [] => std::slice::from_ref(&model.max_batch_size),
        sizes => sizes,
    };
    json.name("preferred_batch_size")
        .array(preferred.iter().copied(), JsonWriter::integer);
    json.name("max_queue_delay_microseconds")
        .integer(batching.max_queue_delay_microseconds);
    json.name("preserve_ordering")
        .boolean(batching.preserve_ordering);
    let priorities = batching.priorities.clone().unwrap_or_default();
    json.name("priority_levels").integer(priorities.levels);
    json.name("default_priority_level")
        .integer(priorities.default_level);
    if batching.queue_policy != QueuePolicy::DEFAULT {
        json.name("default_queue_policy")
            .object(|json| queue_policy(json, batching.queue_policy));
    }
    json.name("priority_queue_policy").object(|json| {
        for (level, policy) in &priorities.queue_policies {
            json.key(&level.to_string())
                .object(|json| queue_policy(json, *policy));
        }
    });
}

fn queue_policy(json: &mut JsonWriter, policy: QueuePolicy) {
    json.name("timeout_action")
        .text(match policy.timeout_action {
            TimeoutAction::Reject => "REJECT",
            TimeoutAction::Delay => "DELAY",
        });
    json.name("default_timeout_microseconds")
        .integer(policy.default_timeout_microseconds);
    json.name("allow_timeout_override")
        .boolean(policy.allow_timeout_override);
    json.name("max_queue_size").integer(policy.max_queue_size);
}

fn instance_group(json: &mut JsonWriter, model: &ModelSpec) {
    json.object(|json| {
        json.name("name").text(&format!("{}_0", model.name));
        json.name("kind").text("KIND_CPU");
        json.name("count").integer(model.instances);
        empty_array(json, "gpus");
        empty_array(json, "secondary_devices");
        empty_array(json, "profile");
        json.name("passive").boolean(false);
        json.name("host_policy").text("");
    });
}

fn parameters(json: &mut JsonWriter, parameters: &[(Arc<str>, Arc<str>)]) {
    for (name, value) in parameters {
        json.key(name)
            .object(|json| json.name("string_value").text(value));
    }
}

fn empty_array(json: &mut JsonWriter, name: &'static str) {
    json.name(name).array([0; 0], JsonWriter::integer);
}

fn empty_object(json: &mut JsonWriter, name: &'static str) {
    json.name(name).object(|_| {});
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::ModelDeclaration;
    use crate::registry::{DynamicBatchingDeclaration, PrioritiesDeclaration};
    use crate::testing::IDENTITY;

    fn text(declaration: &ModelDeclaration) -> String {
        String::from_utf8(config_json(&declaration.spec().unwrap(), &[1])).unwrap()
    }

    #[test]
    fn has_tritons_members_in_their_order() {
        let expected = r#"{"name":"Identity","platform":"","backend":"pytriton","runtime":"","version_policy":{"latest":{"num_versions":1}},"max_batch_size":8,"input":[{"name":"INPUT_1","data_type":"TYPE_FP32","format":"FORMAT_NONE","dims":[-1],"is_shape_tensor":false,"allow_ragged_batch":false,"optional":false,"is_non_linear_format_io":false}],"output":[{"name":"OUTPUT_1","data_type":"TYPE_FP32","dims":[-1],"label_filename":"","is_shape_tensor":false,"is_non_linear_format_io":false}],"batch_input":[],"batch_output":[],"optimization":{"priority":"PRIORITY_DEFAULT","input_pinned_memory":{"enable":true},"output_pinned_memory":{"enable":true},"gather_kernel_buffer_threshold":0,"eager_batching":false},"dynamic_batching":{"preferred_batch_size":[8],"max_queue_delay_microseconds":0,"preserve_ordering":false,"priority_levels":0,"default_priority_level":0,"priority_queue_policy":{}},"instance_group":[{"name":"Identity_0","kind":"KIND_CPU","count":1,"gpus":[],"secondary_devices":[],"profile":[],"passive":false,"host_policy":""}],"default_model_filename":"","cc_model_filenames":{},"metric_tags":{},"parameters":{},"model_warmup":[],"model_transaction_policy":{"decoupled":false}}"#;
        assert_eq!(text(&IDENTITY), expected);
    }

    #[test]
    fn all_versions_are_served() {
        let spec = IDENTITY.spec().unwrap();
        let text = String::from_utf8(config_json(&spec, &[1, 3])).unwrap();
        assert!(text.contains(r#""version_policy":{"all":{}},"#), "{text}");
    }

    #[test]
    fn shows_the_parameters_of_the_model() {
        let text = text(&ModelDeclaration {
            parameters: &[("weights", "/w \"1\""), ("a.b", "")],
            ..IDENTITY
        });
        assert!(text.contains(r#""parameters":{"weights":{"string_value":"/w \"1\""},"a.b":{"string_value":""}},"model_warmup""#), "{text}");
    }

    #[test]
    fn shows_the_response_cache_of_a_model_that_has_it() {
        let text = text(&ModelDeclaration {
            response_cache: true,
            ..IDENTITY
        });
        let end = r#""model_warmup":[],"model_transaction_policy":{"decoupled":false},"response_cache":{"enable":true}}"#;
        assert!(text.ends_with(end), "{text}");
    }

    #[test]
    fn shows_a_queue_policy_only_where_there_is_one() {
        let batching = DynamicBatchingDeclaration {
            preferred_batch_size: &[2, 4],
            max_queue_delay_microseconds: 100,
            preserve_ordering: true,
            queue_policy: QueuePolicy {
                timeout_action: TimeoutAction::Delay,
                default_timeout_microseconds: 7,
                allow_timeout_override: true,
                max_queue_size: 9,
            },
            priorities: None,
        };
        let with = text(&ModelDeclaration {
            dynamic_batching: Some(batching),
            ..IDENTITY
        });
        assert!(with.contains(r#""dynamic_batching":{"preferred_batch_size":[2,4],"max_queue_delay_microseconds":100,"preserve_ordering":true,"priority_levels":0,"default_priority_level":0,"default_queue_policy":{"timeout_action":"DELAY","default_timeout_microseconds":7,"allow_timeout_override":true,"max_queue_size":9},"priority_queue_policy":{}}"#), "{with}");
        let priorities = PrioritiesDeclaration {
            levels: 3,
            default_level: 2,
            queue_policies: &[
                (1, QueuePolicy::DEFAULT),
                (
                    3,
                    QueuePolicy {
                        max_queue_size: 4,
                        ..QueuePolicy::DEFAULT
                    },
                ),
            ],
        };
        let levels = text(&ModelDeclaration {
            dynamic_batching: Some(DynamicBatchingDeclaration {
                queue_policy: QueuePolicy::DEFAULT,
                priorities: Some(priorities),
                ..batching
            }),
            ..IDENTITY
        });
        assert!(levels.contains(r#""preserve_ordering":true,"priority_levels":3,"default_priority_level":2,"priority_queue_policy":{"1":{"timeout_action":"REJECT","default_timeout_microseconds":0,"allow_timeout_override":false,"max_queue_size":0},"3":{"timeout_action":"REJECT","default_timeout_microseconds":0,"allow_timeout_override":false,"max_queue_size":4}}}"#), "{levels}");
        let without = text(&ModelDeclaration {
            dynamic_batching: None,
            ..IDENTITY
        });
        assert!(!without.contains("dynamic_batching"));
    }
}
