use pytriton_core::model::{ModelSpec, TensorSpec};
use pytriton_protocol::tensor::DataType;
use serde_json::{Value, json};

use super::components::{Components, described, reference};
use super::names::pascal;
use super::tensor::{constant, input, output};

/// The datatype of an output that is returned as classes.
const CLASSES: DataType = DataType::Bytes;

/// The schemas of a request and its response.
#[derive(Debug)]
pub(super) struct Exchange {
    pub(super) request: Value,
    pub(super) response: Value,
}

/// Adds the schemas of the v2 protocol. `base` is a prefix of their names.
pub(super) fn infer(model: &ModelSpec, base: &str, components: &mut Components) -> Exchange {
    Exchange {
        request: request(model, base, components),
        response: response(model, base, components),
    }
}

fn request(model: &ModelSpec, base: &str, components: &mut Components) -> Value {
    let typed = model.inputs.iter().map(|tensor| {
        let name = format!("{base}Input{}", pascal(&tensor.name));
        components.add(&name, input(model, tensor))
    });
    let mut forms: Vec<Value> = typed.collect();
    forms.push(reference("InputElsewhere"));
    let once: Vec<Value> = model
        .inputs
        .iter()
        .map(|tensor| {
            json!({
                "contains": {
                    "type": "object",
                    "required": ["name"],
                    "properties": { "name": { "const": &*tensor.name } },
                },
                "minContains": if tensor.optional { 0 } else { 1 },
                "maxContains": 1,
            })
        })
        .collect();
    let needed = model.inputs.iter().filter(|tensor| !tensor.optional);
    let mut inputs = json!({
        "type": "array",
        "items": one_of(&forms, &model.inputs, &[]),
        "minItems": needed.count(),
        "maxItems": model.inputs.len(),
        "description": "Each input once, in any order.",
    });
    if !once.is_empty() {
        inputs["allOf"] = once.into();
    }
    let wanted = components.add(&format!("{base}RequestedOutput"), requested(model));
    let schema = json!({
        "type": "object",
        "required": ["inputs"],
        "properties": {
            "id": { "type": "string", "description": "Returned with the response." },
            "parameters": reference("RequestParameters"),
            "inputs": inputs,
            "outputs": {
                "type": "array",
                "items": wanted,
                "description": "The requested outputs; all outputs by default.",
            },
        },
    });
    let schema = described(schema, &model.description);
    components.add(&format!("{base}InferRequest"), schema)
}

fn requested(model: &ModelSpec) -> Value {
    let name = name(&model.outputs);
    json!({
        "type": "object",
        "required": ["name"],
        "properties": { "name": name, "parameters": reference("OutputParameters") },
    })
}

/// Returns the schema of a tensor with one of these forms. The names and datatypes are those of the
/// model's tensors.
fn one_of(forms: &[Value], tensors: &[TensorSpec], others: &[DataType]) -> Value {
    let datatypes = tensors.iter().map(|tensor| tensor.datatype);
    let mut names: Vec<&str> = Vec::new();
    for datatype in datatypes.chain(others.iter().copied()) {
        if !names.contains(&datatype.name()) {
            names.push(datatype.name());
        }
    }
    let mut datatype = json!({ "type": "string" });
    // An empty `enum` is not valid.
    if !names.is_empty() {
        datatype["enum"] = names.into();
    }
    json!({ "anyOf": forms, "properties": { "name": name(tensors), "datatype": datatype } })
}

/// Returns the schema of a tensor name.
fn name(tensors: &[TensorSpec]) -> Value {
    let mut schema = json!({ "type": "string" });
    // An empty `enum` is not valid.
    if !tensors.is_empty() {
        let names: Vec<&str> = tensors.iter().map(|tensor| &*tensor.name).collect();
        schema["enum"] = names.into();
    }
    schema
}

fn response(model: &ModelSpec, base: &str, components: &mut Components) -> Value {
    let typed = model.outputs.iter().map(|tensor| {
        let name = format!("{base}Output{}", pascal(&tensor.name));
        components.add(&name, output(model, tensor))
    });
    let mut forms: Vec<Value> = typed.collect();
    forms.extend(["OutputClasses", "OutputElsewhere"].map(reference));
    let schema = json!({
        "type": "object",
        "required": ["model_name", "model_version", "outputs"],
        "properties": {
            "id": { "type": "string" },
            "model_name": constant(&model.name),
            "model_version": { "type": "string" },
            "parameters": reference("AnswerParameters"),
            "outputs": {
                "type": "array",
                "items": one_of(&forms, &model.outputs, &[CLASSES]),
                "maxItems": model.outputs.len(),
            },
        },
    });
    components.add(&format!("{base}InferResponse"), schema)
}
