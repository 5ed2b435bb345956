use bytes::Bytes;
use serde_json::{Map, Value, json};

use crate::ParameterValue;
use crate::request::InferRequest;

/// The pieces of the body of an inference, and how long the first is, which is JSON.
pub(super) fn encode(request: &InferRequest) -> (usize, Vec<Bytes>) {
    let inputs = request.inputs.iter();
    let inputs = inputs.map(|(name, tensor)| {
        json!({
            "name": name,
            "datatype": tensor.datatype().name(),
            "shape": tensor.shape(),
            "parameters": {"binary_data_size": tensor.data().len()},
        })
    });
    let mut parameters: Map<String, Value> =
        request.options.parameters.iter().map(parameter).collect();
    let mut header = json!({"id": request.id, "inputs": inputs.collect::<Value>()});
    match request.options.outputs.as_slice() {
        [] => {
            parameters.insert("binary_data_output".to_owned(), Value::Bool(true));
        }
        outputs => {
            let outputs = outputs.iter();
            let outputs =
                outputs.map(|name| json!({"name": name, "parameters": {"binary_data": true}}));
            header["outputs"] = outputs.collect();
        }
    }
    if !parameters.is_empty() {
        header["parameters"] = Value::Object(parameters);
    }
    let header = Bytes::from(header.to_string());
    let tensors = request
        .inputs
        .iter()
        .map(|(_, tensor)| tensor.data().clone());
    let length = header.len();
    (length, [header].into_iter().chain(tensors).collect())
}

fn parameter((name, value): &(String, ParameterValue)) -> (String, Value) {
    let value = match value {
        ParameterValue::Bool(value) => Value::from(*value),
        ParameterValue::Int64(value) => Value::from(*value),
        ParameterValue::Uint64(value) => Value::from(*value),
        ParameterValue::Double(value) => Value::from(*value),
        ParameterValue::String(value) => Value::from(value.as_str()),
    };
    (name.clone(), value)
}
