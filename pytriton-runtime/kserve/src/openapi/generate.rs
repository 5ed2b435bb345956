use pytriton_core::model::ModelSpec;
use serde_json::{Map, Value, json};

use super::components::{Components, described, scalar};
use super::elements::{in_json, request_element, response_element};
use super::infer::Exchange;
use super::tensor::{constant, plain};

/// Returns whether the generate extension can represent the tensors of the model.
pub(super) fn supports_generate(model: &ModelSpec) -> bool {
    let needed = model.inputs.iter().filter(|input| !input.optional);
    let mut tensors = needed.chain(&model.outputs);
    tensors.all(|tensor| in_json(tensor.datatype))
}

/// Adds the schemas of the generate extension. `base` is a prefix of their names.
pub(super) fn generate(model: &ModelSpec, base: &str, components: &mut Components) -> Exchange {
    let request = described(request(model), &model.description);
    Exchange {
        request: components.add(&format!("{base}GenerateRequest"), request),
        response: components.add(&format!("{base}GenerateResponse"), response(model)),
    }
}

fn request(model: &ModelSpec) -> Value {
    let mut properties = Map::new();
    let parameters = json!({ "type": "object", "description": "Other inputs and parameters." });
    properties.insert("parameters".to_owned(), parameters);
    properties.insert("id".to_owned(), json!({ "type": "string" }));
    for input in &model.inputs {
        let schema = plain(model, input, request_element(input.datatype));
        properties.insert(input.name.to_string(), schema);
    }
    let needed = model.inputs.iter().filter(|input| !input.optional);
    let needed: Vec<&str> = needed.map(|input| &*input.name).collect();
    object(&properties, &needed)
}

fn response(model: &ModelSpec) -> Value {
    let mut properties = Map::new();
    for output in &model.outputs {
        let schema = plain(model, output, response_element(output.datatype));
        properties.insert(output.name.to_string(), schema);
    }
    properties.insert("id".to_owned(), json!({ "type": "string" }));
    properties.insert("model_name".to_owned(), constant(&model.name));
    properties.insert("model_version".to_owned(), json!({ "type": "string" }));
    object(&properties, &["model_name", "model_version"])
}

fn object(properties: &Map<String, Value>, required: &[&str]) -> Value {
    json!({
        "type": "object",
        "required": required,
        "properties": properties,
        "additionalProperties": scalar(),
    })
}
