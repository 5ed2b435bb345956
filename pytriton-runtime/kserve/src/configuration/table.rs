//! Model declarations, each with one variation of the plainest.

use pytriton_core::model::{
    CallOptions, InstanceGroup, QueuePolicy, TensorDeclaration, TimeoutAction,
};
use pytriton_core::registry::{
    DynamicBatchingDeclaration, ModelDeclaration, PrioritiesDeclaration,
    SequenceBatchingDeclaration, SequenceStrategyDeclaration,
};
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

const BATCHING: DynamicBatchingDeclaration = DynamicBatchingDeclaration {
    preferred_batch_size: &[2, 8],
    max_queue_delay_microseconds: 250,
    preserve_ordering: true,
    queue_policy: QueuePolicy {
        timeout_action: TimeoutAction::Reject,
        default_timeout_microseconds: 5_000_000,
        allow_timeout_override: true,
        max_queue_size: 32,
    },
    priorities: None,
};

/// The declarations with their names.
pub const TABLE: &[(&str, ModelDeclaration)] = &[
    ("plain", IDENTITY),
    (
        "dynamic_batching",
        ModelDeclaration {
            name: "dynamic_batching",
            instances: &[InstanceGroup::cpu(4)],
            dynamic_batching: Some(BATCHING),
            ..IDENTITY
        },
    ),
    (
        "decoupled",
        ModelDeclaration {
            name: "decoupled",
            decoupled: true,
            ..IDENTITY
        },
    ),
    (
        "direct_sequences",
        ModelDeclaration {
            name: "direct_sequences",
            sequence_batching: Some(SequenceBatchingDeclaration {
                max_sequence_idle_microseconds: 5_000_000,
                strategy: SequenceStrategyDeclaration::Direct {
                    max_queue_delay_microseconds: 100,
                    minimum_slot_utilization: 0.3,
                },
            }),
            ..IDENTITY
        },
    ),
    (
        "oldest_sequences",
        ModelDeclaration {
            name: "oldest_sequences",
            sequence_batching: Some(SequenceBatchingDeclaration {
                max_sequence_idle_microseconds: 0,
                strategy: SequenceStrategyDeclaration::Oldest {
                    max_candidate_sequences: 64,
                    preferred_batch_size: &[2, 8],
                    max_queue_delay_microseconds: 100,
                    preserve_ordering: true,
                },
            }),
            ..IDENTITY
        },
    ),
    (
        "plain_sequences",
        ModelDeclaration {
            name: "plain_sequences",
            max_batch_size: 0,
            inputs: &[TensorDeclaration {
                name: "vector",
                shape: Some(&[3]),
                ..ANY
            }],
            sequence_batching: Some(SequenceBatchingDeclaration {
                max_sequence_idle_microseconds: 0,
                strategy: SequenceStrategyDeclaration::Oldest {
                    max_candidate_sequences: 0,
                    preferred_batch_size: &[],
                    max_queue_delay_microseconds: 0,
                    preserve_ordering: false,
                },
            }),
            ..IDENTITY
        },
    ),
    (
        "devices",
        ModelDeclaration {
            name: "devices",
            instances: &[
                InstanceGroup::cpu(2),
                InstanceGroup::gpu(0),
                InstanceGroup::gpu(1),
            ],
            ..IDENTITY
        },
    ),
    (
        "delayed",
        ModelDeclaration {
            name: "delayed",
            dynamic_batching: Some(DynamicBatchingDeclaration {
                preferred_batch_size: &[],
                preserve_ordering: false,
                queue_policy: QueuePolicy {
                    timeout_action: TimeoutAction::Delay,
                    ..QueuePolicy::DEFAULT
                },
                ..BATCHING
            }),
            ..IDENTITY
        },
    ),
    (
        "priorities",
        ModelDeclaration {
            name: "priorities",
            dynamic_batching: Some(DynamicBatchingDeclaration {
                preserve_ordering: false,
                priorities: Some(PrioritiesDeclaration {
                    levels: 3,
                    default_level: 2,
                    queue_policies: &[
                        (
                            1,
                            QueuePolicy {
                                max_queue_size: 4,
                                ..QueuePolicy::DEFAULT
                            },
                        ),
                        (
                            3,
                            QueuePolicy {
                                timeout_action: TimeoutAction::Delay,
                                default_timeout_microseconds: 1_000,
                                allow_timeout_override: true,
                                ..QueuePolicy::DEFAULT
                            },
                        ),
                    ],
                }),
                ..BATCHING
            }),
            ..IDENTITY
        },
    ),
    (
        "no_dynamic_batching",
        ModelDeclaration {
            name: "no_dynamic_batching",
            dynamic_batching: None,
            ..IDENTITY
        },
    ),
    (
        "no_batching",
        ModelDeclaration {
            name: "no_batching",
            max_batch_size: 0,
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
            name: "optional_inputs",
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
            name: "nothing",
            inputs: &[],
            outputs: &[],
            ..IDENTITY
        },
    ),
    (
        "parameters",
        ModelDeclaration {
            name: "parameters",
            parameters: &[("weights", "/w/a b/\"c\""), ("b.ü 2", ""), ("a", "1")],
            ..IDENTITY
        },
    ),
    (
        "response_cache",
        ModelDeclaration {
            name: "response_cache",
            call_options: CallOptions {
                response_cache: true,
                ..CallOptions::DEFAULT
            },
            ..IDENTITY
        },
    ),
    (
        "strange_names",
        ModelDeclaration {
            name: "a \"b\" \\ c\n\t\u{1}2 ü",
            ..IDENTITY
        },
    ),
];
