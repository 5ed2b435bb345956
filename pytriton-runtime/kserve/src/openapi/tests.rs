use std::path::Path;
use std::{env, fs};

use pytriton_core::model::{ModelSpec, TensorDeclaration};
use pytriton_core::registry::{ModelDeclaration, ModelOptions};
use pytriton_core::testing::IDENTITY;
use pytriton_protocol::signature::ModelSignature;
use pytriton_protocol::tensor::DataType;
use serde_json::{Value, json};

use crate::Group;
use crate::configuration::table::{ANY, TABLE};

use super::{ServedRoutes, document};

/// A header that opens some groups.
const TOKEN: [(&str, &[Group]); 1] = [(
    "triton-access-token",
    &[
        Group::Logging,
        Group::ModelRepository,
        Group::SharedMemory,
        Group::Statistics,
        Group::Trace,
    ],
)];

fn of(declarations: &[&ModelDeclaration], routes: &ServedRoutes) -> Value {
    let specs = declarations.iter().map(|model| model.spec().unwrap());
    let specs: Vec<ModelSpec> = specs.collect();
    document(&specs, routes)
}

fn open(declarations: &[&ModelDeclaration]) -> Value {
    of(declarations, &ServedRoutes::new([], false))
}

fn named(name: &str) -> &'static ModelDeclaration {
    let mut table = TABLE.iter();
    let (_, declaration) = table.find(|(other, _)| *other == name).unwrap();
    declaration
}

/// Compares the document with a golden file. `UPDATE=1` rewrites it, for review.
fn golden(name: &str, document: &Value) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/openapi/golden");
    let path = folder.join(format!("{name}.json"));
    let text = format!("{document:#}\n");
    if env::var_os("UPDATE").is_some() {
        fs::write(&path, &text).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap();
    assert_eq!(text, expected, "{name}: UPDATE=1 writes it anew");
}

#[test]
fn documents_match_the_golden_files() {
    const DESCRIBED: ModelDeclaration = ModelDeclaration {
        options: ModelOptions {
            description: "What comes, back.\n\nAll of it.",
            ..IDENTITY.options
        },
        inputs: &[IDENTITY.inputs[0].described("What comes.")],
        ..IDENTITY
    };
    let second = ModelDeclaration {
        options: ModelOptions {
            version: 2,
            max_batch_size: 0,
            ..DESCRIBED.options
        },
        inputs: named("no_batching").inputs,
        ..DESCRIBED
    };
    golden("nothing", &of(&[], &ServedRoutes::new(TOKEN, true)));
    golden(
        "versions",
        &of(&[&DESCRIBED, &second], &ServedRoutes::new(TOKEN, false)),
    );
    golden(
        "tensors",
        &open(&[named("optional_inputs"), named("nothing")]),
    );
    golden("decoupled", &open(&[named("decoupled")]));
}

#[test]
fn document_contains_known_ports() {
    let routes = ServedRoutes::new([], false).with_other_ports([("grpc", 9001, true)]);
    let document = of(&[], &routes);
    let expected = json!({ "grpc": { "port": 9001, "tls": true } });
    assert_eq!(document["x-pytriton-ports"], expected);
}

#[test]
fn document_is_independent_of_model_order() {
    let (one, two) = (named("priorities"), named("decoupled"));
    assert_eq!(open(&[one, two]), open(&[two, one]));
}

#[test]
fn document_contains_changed_options() {
    let table = [
        ("plain", json!({})),
        ("no_batching", json!({})),
        ("no_dynamic_batching", json!({ "dynamic_batching": false })),
        ("response_cache", json!({ "response_cache": true })),
        (
            "dynamic_batching",
            json!({
                "preferred_batch_size": [2, 8],
                "max_queue_delay_microseconds": 250,
                "preserve_ordering": true,
                "max_queue_size": 32,
                "default_timeout_microseconds": 5_000_000,
                "allow_timeout_override": true,
            }),
        ),
        ("plain_sequences", json!({ "sequence_batching": "oldest" })),
        (
            "direct_sequences",
            json!({
                "sequence_batching": "direct",
                "max_sequence_idle_microseconds": 5_000_000,
                "max_queue_delay_microseconds": 100,
                "minimum_slot_utilization": 0.3,
            }),
        ),
    ];
    for (name, expected) in table {
        let model = named(name);
        let document = open(&[model]);
        let path = format!("/v2/models/{}/infer", model.options.name);
        let shown = &document["paths"][&path]["post"]["x-pytriton-model"];
        assert_eq!(shown["options"], expected, "{name}");
    }
}

#[test]
fn example_uses_the_values_of_the_input() {
    const TEXT: TensorDeclaration = TensorDeclaration {
        datatype: DataType::Int32,
        example: &["1", "-2"],
        ..ANY
    };
    let document = open(&[&ModelDeclaration {
        inputs: &[TEXT],
        ..IDENTITY
    }]);
    let input = &document["components"]["schemas"]["IdentityInputAny"];
    assert_eq!(input["properties"]["data"]["examples"], json!([[1, -2]]));
    let generate = &document["components"]["schemas"]["IdentityGenerateRequest"];
    assert_eq!(generate["properties"]["any"]["examples"], json!([[1, -2]]));
    let shown = &document["paths"]["/v2/models/Identity/infer"]["post"]["x-pytriton-model"];
    assert_eq!(shown["inputs"][0]["example"], json!(["1", "-2"]));
}

#[test]
fn inputs_without_a_json_form_are_listed_separately() {
    const HALF: TensorDeclaration = TensorDeclaration {
        datatype: DataType::Fp16,
        ..ANY
    };
    let document = open(&[&ModelDeclaration {
        inputs: &[HALF],
        ..IDENTITY
    }]);
    let input = &document["components"]["schemas"]["IdentityInputAny"];
    assert_eq!(
        input["required"],
        json!(["name", "datatype", "shape", "parameters"])
    );
    let paths = document["paths"].as_object().unwrap();
    assert!(paths.contains_key("/v2/models/Identity/infer"));
    assert!(!paths.contains_key("/v2/models/Identity/generate"));
}

#[test]
fn operation_names_are_unique() {
    let models = [
        "Foo", "foo", "Foo_", "Foo_v1", "FooInput", "InputFoo", "server", "2", "-",
    ];
    let models = models.map(|name| ModelDeclaration {
        options: ModelOptions {
            name,
            ..IDENTITY.options
        },
        ..IDENTITY
    });
    let second = ModelDeclaration {
        options: ModelOptions {
            name: "Foo",
            version: 2,
            ..IDENTITY.options
        },
        ..IDENTITY
    };
    let models: Vec<&ModelDeclaration> = models.iter().chain([&second]).collect();
    let document = open(&models);
    let paths = document["paths"].as_object().unwrap().values();
    let operations = paths.flat_map(|path| path.as_object().unwrap().values());
    let mut names: Vec<&str> = operations
        .map(|operation| operation["operationId"].as_str().unwrap())
        .collect();
    let count = names.len();
    assert!(count > 60);
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
    for name in names {
        let mut bytes = name.bytes();
        assert!(bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'));
    }
}

#[test]
fn called_models_are_listed() {
    let mut spec = IDENTITY.spec().unwrap();
    let called = |spec: &ModelSpec| super::extension::extension(&[spec]).unwrap()["calls"].clone();
    assert_eq!(called(&spec), Value::Null);
    spec.callees = ["A", "B"]
        .map(|name| ModelSignature::new(name, 8, false))
        .into();
    assert_eq!(called(&spec), json!(["A", "B"]));
}
