use std::mem::take;

use bytes::Bytes;
use serde::Serialize;

use crate::ParameterValue;
use crate::request::InferRequest;

/// Elements up to this size are copied after the JSON, which is cheaper than a separate write.
const MAX_COPIED_BYTES: usize = 4 << 10;

/// The capacity reserved for JSON.
const HEAD: usize = 256;

/// Returns the pieces of an inference request's body and the length of its JSON header; large
/// elements are not copied.
pub(super) fn encode(request: &InferRequest) -> (usize, Vec<Bytes>) {
    let mut around = json(request);
    let length = around.len();
    let mut pieces = Vec::new();
    for (_, tensor) in &request.inputs {
        let data = tensor.data();
        if data.len() <= MAX_COPIED_BYTES {
            around.extend_from_slice(data);
        } else {
            pieces.extend([Bytes::from(take(&mut around)), data.clone()]);
        }
    }
    pieces.push(Bytes::from(around));
    (length, pieces)
}

fn json(request: &InferRequest) -> Vec<u8> {
    let mut json = Vec::with_capacity(HEAD);
    json.extend_from_slice(br#"{"id":"#);
    push(&mut json, &request.id);
    json.extend_from_slice(br#","inputs":["#);
    list(&mut json, &request.inputs, |json, (name, tensor)| {
        json.extend_from_slice(br#"{"name":"#);
        push(json, name);
        json.extend_from_slice(br#","datatype":"#);
        push(json, tensor.datatype().name());
        json.extend_from_slice(br#","shape":"#);
        push(json, tensor.shape());
        json.extend_from_slice(br#","parameters":{"binary_data_size":"#);
        push(json, &tensor.data().len());
        json.extend_from_slice(b"}}");
    });
    json.extend_from_slice(br#"],"parameters":{"#);
    let options = &request.options;
    list(&mut json, &options.parameters, |json, (name, value)| {
        push(json, name);
        json.push(b':');
        parameter(json, value);
    });
    if options.outputs.is_empty() {
        if !options.parameters.is_empty() {
            json.push(b',');
        }
        json.extend_from_slice(br#""binary_data_output":true}}"#);
        return json;
    }
    json.extend_from_slice(br#"},"outputs":["#);
    list(&mut json, &options.outputs, |json, name| {
        json.extend_from_slice(br#"{"name":"#);
        push(json, name);
        json.extend_from_slice(br#","parameters":{"binary_data":true}}"#);
    });
    json.extend_from_slice(b"]}");
    json
}

/// Writes a comma-separated list.
fn list<T>(json: &mut Vec<u8>, items: &[T], write: impl Fn(&mut Vec<u8>, &T)) {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            json.push(b',');
        }
        write(json, item);
    }
}

fn parameter(json: &mut Vec<u8>, value: &ParameterValue) {
    match value {
        ParameterValue::Bool(value) => push(json, value),
        ParameterValue::Int64(value) => push(json, value),
        ParameterValue::Uint64(value) => push(json, value),
        ParameterValue::Double(value) => push(json, value),
        ParameterValue::String(value) => push(json, value),
    }
}

/// Serializing strings and numbers to a vector cannot fail.
fn push(json: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    let _ = serde_json::to_writer(json, value);
}

#[cfg(test)]
mod tests {
    use pytriton_protocol::tensor::{DataType, Tensor};
    use serde_json::{Value, json};

    use crate::InferOptions;
    use crate::request::Model;

    use super::*;

    fn request(sizes: &[usize], options: InferOptions) -> InferRequest {
        let tensors = sizes.iter().map(|size| {
            let data = Bytes::from(vec![7; *size]);
            let tensor = Tensor::new(DataType::Uint8, vec![1, *size], data).unwrap();
            ("x\"y".to_owned(), tensor)
        });
        InferRequest {
            model: Model {
                name: "Linear".to_owned(),
                version: String::new(),
            },
            id: "é\n".to_owned(),
            inputs: tensors.collect(),
            options,
            shared: None,
            as_json: false,
        }
    }

    #[test]
    fn json_describes_the_request() {
        let input = |size: usize| {
            json!({"name": "x\"y", "datatype": "UINT8", "shape": [1, size],
                "parameters": {"binary_data_size": size}})
        };
        let options = InferOptions::new();
        let with_parameters = options
            .clone()
            .parameter("a", 1)
            .parameter("b", "\\")
            .parameter("c", 0.5);
        let table = [
            (
                options.clone(),
                json!({"binary_data_output": true}),
                Value::Null,
            ),
            (
                with_parameters.clone(),
                json!({"a": 1, "b": "\\", "c": 0.5, "binary_data_output": true}),
                Value::Null,
            ),
            (
                with_parameters.output("y").output("z"),
                json!({"a": 1, "b": "\\", "c": 0.5}),
                json!([{"name": "y", "parameters": {"binary_data": true}},
                    {"name": "z", "parameters": {"binary_data": true}}]),
            ),
        ];
        for (options, parameters, outputs) in table {
            let (length, pieces) = encode(&request(&[2, MAX_COPIED_BYTES + 1], options));
            let written: Value = serde_json::from_slice(&pieces.concat()[..length]).unwrap();
            assert_eq!(written["id"], "é\n");
            assert_eq!(
                written["inputs"],
                json!([input(2), input(MAX_COPIED_BYTES + 1)])
            );
            assert_eq!(written["parameters"], parameters);
            assert_eq!(written["outputs"], outputs);
        }
    }

    #[test]
    fn elements_follow_in_order_and_large_ones_are_not_copied() {
        let request = request(
            &[1, MAX_COPIED_BYTES + 1, MAX_COPIED_BYTES + 2, 2],
            InferOptions::new(),
        );
        let (length, pieces) = encode(&request);
        let data = |index: usize| request.inputs[index].1.data();
        let all = [0, 1, 2, 3].map(|index| &data(index)[..]).concat();
        assert_eq!(pieces.concat()[length..], all);
        assert_eq!(pieces[1].as_ptr(), data(1).as_ptr());
        assert_eq!(pieces[3].as_ptr(), data(2).as_ptr());
    }
}
