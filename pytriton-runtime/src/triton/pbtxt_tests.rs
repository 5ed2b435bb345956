//! Golden files: `UPDATE=1` writes them anew, for a person to read.

use std::path::Path;
use std::{env, fs};

use crate::model::{ModelSpec, TensorDeclaration};
use crate::registry::PrioritiesDeclaration;
use crate::registry::{DynamicBatchingDeclaration, ModelDeclaration};
use crate::tensor::DataType;
use crate::testing::IDENTITY;

use super::*;

const ANY: TensorDeclaration = TensorDeclaration {
    name: "any",
    datatype: DataType::Fp32,
    rank: None,
    shape: Some(&[-1]),
    optional: false,
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

/// Declarations of models, each varying the plainest in one way.
pub(in crate::triton) const TABLE: &[(&str, ModelDeclaration)] = &[
    ("plain", IDENTITY),
    (
        "dynamic_batching",
        ModelDeclaration {
            name: "dynamic_batching",
            instances: 4,
            dynamic_batching: Some(BATCHING),
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
            response_cache: true,
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

fn golden(name: &str, text: &str) {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/triton/golden/{name}.pbtxt"));
    if env::var_os("UPDATE").is_some() {
        fs::write(&path, text).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap();
    assert_eq!(text, expected, "{name}: UPDATE=1 writes it anew");
}

#[test]
fn each_declaration_has_its_configuration() {
    for (name, declaration) in TABLE {
        let spec = declaration.spec().unwrap();
        golden(name, &config_text(BACKEND, &spec, &[]).unwrap());
    }
}

#[test]
fn versions_share_a_configuration() {
    let one = IDENTITY.spec().unwrap();
    let two = ModelSpec {
        version: 2,
        ..one.clone()
    };
    golden("versions", &config_text(BACKEND, &one, &[&two]).unwrap());
}

#[test]
fn versions_that_differ_are_refused() {
    let one = IDENTITY.spec().unwrap();
    let table: [(ModelDeclaration, &str); 4] = [
        (
            ModelDeclaration {
                max_batch_size: 16,
                ..IDENTITY
            },
            "`max_batch_size: 8` where version 2",
        ),
        (
            ModelDeclaration {
                inputs: &[ANY],
                ..IDENTITY
            },
            "`name: \"any\"`",
        ),
        (
            ModelDeclaration {
                dynamic_batching: None,
                ..IDENTITY
            },
            "has `nothing`",
        ),
        (
            ModelDeclaration {
                parameters: &[("a", "1")],
                ..IDENTITY
            },
            "has `parameters {`",
        ),
    ];
    for (declaration, expected) in table {
        let two = ModelDeclaration {
            version: 2,
            ..declaration
        }
        .spec()
        .unwrap();
        let error = config_text(BACKEND, &one, &[&two]).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(error.contains("testing.rs:1"), "{error}");
    }
}

#[test]
fn strings_are_escaped() {
    let table = [
        ("", r#""""#),
        ("a", r#""a""#),
        ("\"\\", r#""\"\\""#),
        ("\n\r\t", r#""\n\r\t""#),
        ("\0\u{1b}7", r#""\000\0337""#),
        ("ü→", "\"ü→\""),
    ];
    for (value, expected) in table {
        assert_eq!(quoted(value), expected);
    }
}
