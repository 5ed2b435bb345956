//! Model declarations, each with one variation of the plainest.

use std::time::Duration;

use pytriton_core::model::{
    CallOptions, InstanceGroup, QueuePolicy, TensorDeclaration, TimeoutAction,
};
use pytriton_core::registry::{ModelDeclaration, ModelOptions, SequenceScheduling};
use pytriton_core::testing::IDENTITY;
use pytriton_protocol::tensor::DataType;

pub const ANY: TensorDeclaration = TensorDeclaration {
    name: "any",
    datatype: DataType::Fp32,
    rank: None,
    shape: Some(&[-1]),
    optional: false,
    description: "",
    example: &[],
    labels: "",
};

const BATCHING: ModelOptions<'static> = ModelOptions {
    preferred_batch_size: &[2, 8],
    max_queue_delay_microseconds: 250,
    preserve_ordering: true,
    queue_policy: QueuePolicy::DEFAULT
        .timeout_action(TimeoutAction::Reject)
        .default_timeout(Duration::from_secs(5))
        .allow_timeout_override(true)
        .max_queue_size(32),
    ..IDENTITY.options
};

/// The declarations with their names.
pub const TABLE: &[(&str, ModelDeclaration)] = &[
    ("plain", IDENTITY),
    (
        "dynamic_batching",
        ModelDeclaration {
            options: ModelOptions {
                name: "dynamic_batching",
                instances: &[InstanceGroup::cpu(4)],
                ..BATCHING
            },
            ..IDENTITY
        },
    ),
    (
        "decoupled",
        ModelDeclaration {
            options: ModelOptions {
                name: "decoupled",
                ..IDENTITY.options
            },
            decoupled: true,
            ..IDENTITY
        },
    ),
    (
        "direct_sequences",
        ModelDeclaration {
            options: ModelOptions {
                name: "direct_sequences",
                sequence_batching: Some(SequenceScheduling::Direct),
                max_sequence_idle_microseconds: 5_000_000,
                max_queue_delay_microseconds: 100,
                minimum_slot_utilization: 0.3,
                ..IDENTITY.options
            },
            ..IDENTITY
        },
    ),
    (
        "oldest_sequences",
        ModelDeclaration {
            options: ModelOptions {
                name: "oldest_sequences",
                sequence_batching: Some(SequenceScheduling::Oldest),
                max_candidate_sequences: 64,
                preferred_batch_size: &[2, 8],
                max_queue_delay_microseconds: 100,
                preserve_ordering: true,
                ..IDENTITY.options
            },
            ..IDENTITY
        },
    ),
    (
        "plain_sequences",
        ModelDeclaration {
            options: ModelOptions {
                name: "plain_sequences",
                max_batch_size: 0,
                sequence_batching: Some(SequenceScheduling::Oldest),
                ..IDENTITY.options
            },
            inputs: &[TensorDeclaration {
                name: "vector",
                shape: Some(&[3]),
                ..ANY
            }],
            ..IDENTITY
        },
    ),
    (
        "devices",
        ModelDeclaration {
            options: ModelOptions {
                name: "devices",
                instances: &[
                    InstanceGroup::cpu(2),
                    InstanceGroup::gpu(0),
                    InstanceGroup::gpu(1),
                ],
                ..IDENTITY.options
            },
            ..IDENTITY
        },
    ),
    (
        "delayed",
        ModelDeclaration {
            options: ModelOptions {
                name: "delayed",
                queue_policy: QueuePolicy::DEFAULT.timeout_action(TimeoutAction::Delay),
                preferred_batch_size: &[],
                preserve_ordering: false,
                ..BATCHING
            },
            ..IDENTITY
        },
    ),
    (
        "priorities",
        ModelDeclaration {
            options: ModelOptions {
                name: "priorities",
                priority_levels: 3,
                default_priority_level: 2,
                priority_queue_policy: &[
                    (1, QueuePolicy::DEFAULT.max_queue_size(4)),
                    (
                        3,
                        QueuePolicy::DEFAULT
                            .timeout_action(TimeoutAction::Delay)
                            .default_timeout(Duration::from_millis(1))
                            .allow_timeout_override(true),
                    ),
                ],
                preserve_ordering: false,
                ..BATCHING
            },
            ..IDENTITY
        },
    ),
    (
        "no_dynamic_batching",
        ModelDeclaration {
            options: ModelOptions {
                name: "no_dynamic_batching",
                dynamic_batching: false,
                ..IDENTITY.options
            },
            ..IDENTITY
        },
    ),
    (
        "no_batching",
        ModelDeclaration {
            options: ModelOptions {
                name: "no_batching",
                max_batch_size: 0,
                ..IDENTITY.options
            },
            inputs: &[TensorDeclaration {
                name: "vector",
                shape: Some(&[3]),
                ..ANY
            }],
            ..IDENTITY
        },
    ),
    (
        "optional_inputs",
        ModelDeclaration {
            options: ModelOptions {
                name: "optional_inputs",
                ..IDENTITY.options
            },
            inputs: &[
                ANY,
                TensorDeclaration {
                    name: "prompt",
                    datatype: DataType::Bytes,
                    shape: Some(&[1]),
                    optional: true,
                    ..ANY
                },
                TensorDeclaration {
                    name: "matrix",
                    datatype: DataType::Bf16,
                    shape: Some(&[-1, 224, 3]),
                    ..ANY
                },
            ],
            ..IDENTITY
        },
    ),
    (
        "nothing",
        ModelDeclaration {
            options: ModelOptions {
                name: "nothing",
                ..IDENTITY.options
            },
            inputs: &[],
            outputs: &[],
            ..IDENTITY
        },
    ),
    (
        "parameters",
        ModelDeclaration {
            options: ModelOptions {
                name: "parameters",
                parameters: &[("weights", "/w/a b/\"c\""), ("b.ü 2", ""), ("a", "1")],
                ..IDENTITY.options
            },
            ..IDENTITY
        },
    ),
    (
        "response_cache",
        ModelDeclaration {
            options: ModelOptions {
                name: "response_cache",
                call_options: CallOptions::DEFAULT.response_cache(true),
                ..IDENTITY.options
            },
            ..IDENTITY
        },
    ),
    (
        "strange_names",
        ModelDeclaration {
            options: ModelOptions {
                name: "a \"b\" \\ c\n\t\u{1}2 ü",
                ..IDENTITY.options
            },
            ..IDENTITY
        },
    ),
];
