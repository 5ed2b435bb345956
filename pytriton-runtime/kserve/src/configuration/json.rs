use crate::json::JsonWriter;

use super::{Message, Scalar, Value};

impl Message<'_> {
    /// Encodes the message as Triton does over HTTP: every field, including Triton's defaults.
    ///
    /// # Examples
    ///
    /// ```
    /// # use pytriton_kserve::configuration::{Field, Message};
    /// let message = Message {
    ///     fields: vec![Field { name: "count", number: 2, value: 4_u64.into(), explicit: true }],
    /// };
    /// assert_eq!(message.json(), br#"{"count":4}"#);
    /// ```
    pub fn json(&self) -> Vec<u8> {
        let mut json = JsonWriter::with_capacity(2048);
        message(&mut json, self);
        json.finish()
    }
}

fn message(json: &mut JsonWriter, message: &Message<'_>) {
    json.object(|json| {
        for field in &message.fields {
            value(json.name(field.name), &field.value);
        }
    });
}

fn value(json: &mut JsonWriter, value: &Value<'_>) {
    match value {
        Value::Scalar(inner) => scalar(json, inner),
        Value::Message(inner) => message(json, inner),
        Value::Numbers(numbers) => json.array(numbers.iter().copied(), JsonWriter::integer),
        Value::Messages(messages) => json.array(messages, message),
        Value::Map(entries) => json.object(|json| {
            for (key, inner) in entries {
                message(json.key(&key.to_string()), inner);
            }
        }),
    }
}

fn scalar(json: &mut JsonWriter, scalar: &Scalar<'_>) {
    match scalar {
        Scalar::Text(text) => json.text(text),
        Scalar::Boolean(boolean) => json.boolean(*boolean),
        Scalar::Number(number) => json.integer(*number),
        // As protobuf's JSON format, which Triton uses, writes it.
        Scalar::Fraction(number) => json.written(number.to_string().as_bytes()),
        Scalar::Enumeration(name, _) => json.text(name),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use pytriton_core::model::{CallOptions, QueuePolicy, TimeoutAction, VersionPolicy};
    use pytriton_core::registry::{ModelDeclaration, ModelOptions, SequenceScheduling};
    use pytriton_core::testing::IDENTITY;

    use crate::configuration::{BACKEND, configuration};

    fn json(declaration: &ModelDeclaration) -> String {
        String::from_utf8(configuration(&declaration.spec().unwrap(), BACKEND, None).json())
            .unwrap()
    }

    #[test]
    fn members_are_in_the_order_of_triton() {
        let expected = r#"{"name":"Identity","platform":"","backend":"pytriton","runtime":"","version_policy":{"latest":{"num_versions":1}},"max_batch_size":8,"input":[{"name":"INPUT_1","data_type":"TYPE_FP32","format":"FORMAT_NONE","dims":[-1],"is_shape_tensor":false,"allow_ragged_batch":false,"optional":false,"is_non_linear_format_io":false}],"output":[{"name":"OUTPUT_1","data_type":"TYPE_FP32","dims":[-1],"label_filename":"","is_shape_tensor":false,"is_non_linear_format_io":false}],"batch_input":[],"batch_output":[],"optimization":{"priority":"PRIORITY_DEFAULT","input_pinned_memory":{"enable":true},"output_pinned_memory":{"enable":true},"gather_kernel_buffer_threshold":0,"eager_batching":false},"dynamic_batching":{"preferred_batch_size":[8],"max_queue_delay_microseconds":0,"preserve_ordering":false,"priority_levels":0,"default_priority_level":0,"priority_queue_policy":{}},"instance_group":[{"name":"Identity_0","kind":"KIND_CPU","count":1,"gpus":[],"secondary_devices":[],"profile":[],"passive":false,"host_policy":""}],"default_model_filename":"","cc_model_filenames":{},"metric_tags":{},"parameters":{},"model_warmup":[],"model_transaction_policy":{"decoupled":false}}"#;
        assert_eq!(json(&IDENTITY), expected);
    }

    #[test]
    fn configuration_contains_the_version_policy() {
        let spec = IDENTITY.spec().unwrap();
        let table = [
            (VersionPolicy::All, r#"{"all":{}}"#),
            (VersionPolicy::Latest(2), r#"{"latest":{"num_versions":2}}"#),
            (
                VersionPolicy::Specific(vec![1, 3]),
                r#"{"specific":{"versions":[1,3]}}"#,
            ),
        ];
        for (policy, expected) in table {
            let json = configuration(&spec, BACKEND, Some(&policy)).json();
            let json = String::from_utf8(json).unwrap();
            let expected = format!(r#""version_policy":{expected},"#);
            assert!(json.contains(&expected), "{json}");
        }
    }

    #[test]
    fn configuration_contains_the_model_parameters() {
        let json = json(&ModelDeclaration {
            options: ModelOptions {
                parameters: &[("weights", "/w \"1\""), ("a.b", "")],
                ..IDENTITY.options
            },
            ..IDENTITY
        });
        assert!(json.contains(r#""parameters":{"weights":{"string_value":"/w \"1\""},"a.b":{"string_value":""}},"model_warmup""#), "{json}");
    }

    #[test]
    fn configuration_contains_the_response_cache_if_enabled() {
        let json = json(&ModelDeclaration {
            options: ModelOptions {
                call_options: CallOptions::DEFAULT.response_cache(true),
                ..IDENTITY.options
            },
            ..IDENTITY
        });
        let end = r#""model_warmup":[],"model_transaction_policy":{"decoupled":false},"response_cache":{"enable":true}}"#;
        assert!(json.ends_with(end), "{json}");
    }

    #[test]
    fn configuration_contains_the_decoupled_policy() {
        let json = json(&ModelDeclaration {
            decoupled: true,
            ..IDENTITY
        });
        let end = r#""model_warmup":[],"model_transaction_policy":{"decoupled":true}}"#;
        assert!(json.ends_with(end), "{json}");
    }

    #[test]
    fn configuration_contains_the_sequence_strategy() {
        let sequences = |strategy, utilization| {
            json(&ModelDeclaration {
                options: ModelOptions {
                    sequence_batching: Some(strategy),
                    max_queue_delay_microseconds: 7,
                    minimum_slot_utilization: utilization,
                    ..IDENTITY.options
                },
                ..IDENTITY
            })
        };
        for (utilization, text) in [(0.0, "0"), (0.3, "0.3"), (1.0, "1")] {
            let direct = sequences(SequenceScheduling::Direct, utilization);
            let expected = format!(
                r#""eager_batching":false}},"sequence_batching":{{"direct":{{"max_queue_delay_microseconds":7,"minimum_slot_utilization":{text}}},"max_sequence_idle_microseconds":1000000,"control_input":[],"state":[],"iterative_sequence":false}},"instance_group""#
            );
            assert!(direct.contains(&expected), "{direct}");
        }
        let oldest = sequences(SequenceScheduling::Oldest, 0.0);
        let expected = r#""oldest":{"max_candidate_sequences":8,"preferred_batch_size":[8],"max_queue_delay_microseconds":7,"preserve_ordering":false},"max_sequence_idle_microseconds":1000000,"control_input":[],"#;
        assert!(oldest.contains(expected), "{oldest}");
    }

    #[test]
    fn configuration_contains_the_queue_policy_if_set() {
        let batching = ModelOptions {
            preferred_batch_size: &[2, 4],
            max_queue_delay_microseconds: 100,
            preserve_ordering: true,
            queue_policy: QueuePolicy::DEFAULT
                .timeout_action(TimeoutAction::Delay)
                .default_timeout(Duration::from_micros(7))
                .allow_timeout_override(true)
                .max_queue_size(9),
            ..IDENTITY.options
        };
        let with = json(&ModelDeclaration {
            options: batching,
            ..IDENTITY
        });
        assert!(with.contains(r#""dynamic_batching":{"preferred_batch_size":[2,4],"max_queue_delay_microseconds":100,"preserve_ordering":true,"priority_levels":0,"default_priority_level":0,"default_queue_policy":{"timeout_action":"DELAY","default_timeout_microseconds":7,"allow_timeout_override":true,"max_queue_size":9},"priority_queue_policy":{}}"#), "{with}");
        const LEVELS: [(u64, QueuePolicy); 2] = [
            (1, QueuePolicy::DEFAULT),
            (3, QueuePolicy::DEFAULT.max_queue_size(4)),
        ];
        let priorities = ModelOptions {
            priority_levels: 3,
            default_priority_level: 2,
            priority_queue_policy: &LEVELS,
            queue_policy: QueuePolicy::DEFAULT,
            ..batching
        };
        let levels = json(&ModelDeclaration {
            options: priorities,
            ..IDENTITY
        });
        assert!(levels.contains(r#""preserve_ordering":true,"priority_levels":3,"default_priority_level":2,"priority_queue_policy":{"1":{"timeout_action":"REJECT","default_timeout_microseconds":0,"allow_timeout_override":false,"max_queue_size":0},"3":{"timeout_action":"REJECT","default_timeout_microseconds":0,"allow_timeout_override":false,"max_queue_size":4}}}"#), "{levels}");
        let without = json(&ModelDeclaration {
            options: ModelOptions {
                dynamic_batching: false,
                ..IDENTITY.options
            },
            ..IDENTITY
        });
        assert!(!without.contains("dynamic_batching"));
    }
}
