use bytes::Bytes;
use pytriton_protocol::tensor::{DataType, Tensor};
use serde_json::Value;

use crate::{ClientError, Outputs, ParameterValue};

use super::data;
use super::header::{Header, Output};

/// Decodes an inference response. `header` is the length of the JSON; without it, the whole body is
/// JSON.
pub(super) fn decode(body: &Bytes, header: Option<usize>) -> Result<Outputs, ClientError> {
    let end = header.unwrap_or(body.len());
    let json = body
        .get(..end)
        .ok_or_else(|| ClientError::protocol("its JSON is longer than the body"))?;
    let header: Header = serde_json::from_slice(json).map_err(|error| {
        ClientError::protocol(format!("it is not a valid JSON response: {error}"))
    })?;
    let mut binary = body.slice(end..);
    let outputs = header.outputs.into_iter();
    let tensors = outputs.map(|output| tensor(output, &mut binary));
    let parameters = header.parameters.into_iter().flatten();
    Ok(Outputs {
        model_name: text(header.model_name),
        model_version: text(header.model_version),
        id: text(header.id),
        parameters: parameters
            .filter_map(|(name, value)| Some((name, parameter(value)?)))
            .collect(),
        tensors: tensors.collect::<Result<_, _>>()?,
    })
}

/// Returns an empty string for other JSON types.
fn text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        _ => String::new(),
    }
}

fn tensor(output: Output, binary: &mut Bytes) -> Result<(String, Tensor), ClientError> {
    let missing = |what: &str| ClientError::protocol(format!("an output has no {what}"));
    let name = output.name.ok_or_else(|| missing("name"))?;
    let datatype = output.datatype.as_str();
    let datatype = datatype.and_then(|name| name.parse::<DataType>().ok());
    let datatype = datatype.ok_or_else(|| missing("element type"))?;
    let shape = output.shape.ok_or_else(|| missing("shape"))?;
    let Some(size) = output.binary.and_then(|binary| binary.size) else {
        let tensor = data::tensor(&name, datatype, shape, &output.data)?;
        return Ok((name, tensor));
    };
    if size > binary.len() {
        return Err(ClientError::protocol(format!(
            "output `{name}` is longer than the body"
        )));
    }
    let tensor = Tensor::new(datatype, shape, binary.split_to(size));
    let tensor = tensor.map_err(ClientError::tensor(&name))?;
    Ok((name, tensor))
}

fn parameter(value: Value) -> Option<ParameterValue> {
    Some(match value {
        Value::Bool(value) => ParameterValue::Bool(value),
        Value::String(value) => ParameterValue::String(value),
        Value::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
            (Some(value), _, _) => ParameterValue::Int64(value),
            (_, Some(value), _) => ParameterValue::Uint64(value),
            (_, _, value) => ParameterValue::Double(value?),
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(json: &str, binary: &[u8]) -> (Bytes, Option<usize>) {
        ([json.as_bytes(), binary].concat().into(), Some(json.len()))
    }

    #[test]
    fn binary_outputs_are_slices_of_the_body() {
        let (body, header) = body(
            r#"{"model_name":"m","model_version":"3","id":"7","parameters":{"a":1,"b":"c"},"outputs":[
            {"name":"x","datatype":"UINT8","shape":[2],"parameters":{"binary_data_size":2}},
            {"name":"y","datatype":"INT64","shape":[1],"data":[5]},
            {"name":"z","datatype":"UINT8","shape":[1],"parameters":{"binary_data_size":1}}]}"#,
            &[1, 2, 3],
        );
        let outputs = decode(&body, header).unwrap();
        assert_eq!(
            (outputs.model_name(), outputs.model_version(), outputs.id()),
            ("m", "3", "7")
        );
        assert_eq!(outputs.parameter("a"), Some(&ParameterValue::Int64(1)));
        let bytes = |name| outputs.tensor(name).unwrap().data().to_vec();
        assert_eq!((bytes("x"), bytes("z")), (vec![1, 2], vec![3]));
        assert_eq!(outputs.array::<i64, ndarray::Ix1>("y").unwrap()[0], 5);
        assert!(outputs.array::<i32, ndarray::Ix1>("y").is_err());
        assert!(outputs.tensor("w").is_none());
    }

    #[test]
    fn malformed_response_is_an_error() {
        let wrong = [
            ("", &[][..]),
            ("[", &[]),
            (r#"{"outputs":[{}]}"#, &[]),
            (
                r#"{"outputs":[{"name":"x","datatype":"X","shape":[1]}]}"#,
                &[],
            ),
            (
                r#"{"outputs":[{"name":"x","datatype":"UINT8","shape":[-1]}]}"#,
                &[],
            ),
            (
                r#"{"outputs":[{"name":"x","datatype":"UINT8","shape":[1],"parameters":{"binary_data_size":9}}]}"#,
                &[1],
            ),
            (
                r#"{"outputs":[{"name":"x","datatype":"UINT8","shape":[2],"parameters":{"binary_data_size":1}}]}"#,
                &[1],
            ),
        ];
        for (json, binary) in wrong {
            let (body, header) = body(json, binary);
            assert!(decode(&body, header).is_err(), "{json}");
        }
        assert!(decode(&Bytes::from_static(b"{}"), Some(3)).is_err());
        // A response without outputs.
        assert_eq!(
            decode(&Bytes::from_static(b"{}"), None),
            Ok(Outputs::default())
        );
    }
}
