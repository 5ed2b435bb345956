//! Inferences for servers that accept only JSON.

use bytes::Bytes;
use hyper::Method;
use hyper::http::header::{CONTENT_TYPE, HeaderValue};
use pytriton_protocol::tensor::{DataType, Element, Tensor};
use serde_json::{Value, json};

use crate::request::InferRequest;
use crate::{ClientError, Outputs};

use super::body::Pieces;
use super::head::headers;
use super::transport::{HttpTransport, failed, path};
use super::{request, response};

impl HttpTransport {
    pub(crate) async fn infer_json(&self, request: &InferRequest) -> Result<Outputs, ClientError> {
        let body = Pieces::new([encode(request)?]);
        let mut headers = headers(&request.options.headers)?;
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let path = format!("{}/infer", path(&request.model));
        let response = self.ask(Method::POST, &path, headers, body).await?;
        match response.status {
            200 => response::decode(&response.body, response.header_length),
            _ => Err(failed(&request.model.to_string(), &response)),
        }
    }
}

/// Encodes the body of a request.
fn encode(request: &InferRequest) -> Result<Bytes, ClientError> {
    let (length, pieces) = request::encode(request);
    let json = pieces.first().and_then(|piece| piece.get(..length));
    let mut json: Value = serde_json::from_slice(json.unwrap_or_default())
        .map_err(|error| ClientError::inputs(format!("cannot build the request: {error}")))?;
    if let Some(parameters) = json["parameters"].as_object_mut() {
        parameters.remove("binary_data_output");
    }
    for (input, (name, tensor)) in json["inputs"]
        .as_array_mut()
        .into_iter()
        .flatten()
        .zip(&request.inputs)
    {
        input["parameters"] = json!({});
        input["data"] = data(name, tensor)?;
    }
    for output in json["outputs"].as_array_mut().into_iter().flatten() {
        output["parameters"] = json!({});
    }
    Ok(Bytes::from(json.to_string()))
}

fn data(name: &str, tensor: &Tensor) -> Result<Value, ClientError> {
    let none = || {
        let datatype = tensor.datatype();
        ClientError::inputs(format!(
            "input `{name}` of {datatype} has elements that JSON cannot represent, and the server supports only JSON"
        ))
    };
    let finite = |number: f64| number.is_finite().then(|| Value::from(number));
    match tensor.datatype() {
        DataType::Bool => each::<bool>(tensor, |it| Some(it.into())),
        DataType::Uint8 => each::<u8>(tensor, |it| Some(it.into())),
        DataType::Uint16 => each::<u16>(tensor, |it| Some(it.into())),
        DataType::Uint32 => each::<u32>(tensor, |it| Some(it.into())),
        DataType::Uint64 => each::<u64>(tensor, |it| Some(it.into())),
        DataType::Int8 => each::<i8>(tensor, |it| Some(it.into())),
        DataType::Int16 => each::<i16>(tensor, |it| Some(it.into())),
        DataType::Int32 => each::<i32>(tensor, |it| Some(it.into())),
        DataType::Int64 => each::<i64>(tensor, |it| Some(it.into())),
        DataType::Fp32 => each::<f32>(tensor, |it| finite(it.into())),
        DataType::Fp64 => each::<f64>(tensor, finite),
        DataType::Bytes => {
            each::<Vec<u8>>(tensor, |it| String::from_utf8(it).ok().map(Value::from))
        }
        DataType::Fp16 | DataType::Bf16 => None,
    }
    .ok_or_else(none)
}

fn each<T: Element + Clone>(tensor: &Tensor, write: impl Fn(T) -> Option<Value>) -> Option<Value> {
    let elements = tensor.elements::<T>().ok()?;
    elements.iter().cloned().map(write).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InferOptions;
    use crate::request::Model;

    fn encoded(tensor: Tensor, options: InferOptions) -> Result<Value, ClientError> {
        let request = InferRequest {
            model: Model {
                name: "m".to_owned(),
                version: String::new(),
            },
            id: "7".to_owned(),
            inputs: vec![("x".to_owned(), tensor)],
            options,
            shared: None,
            as_json: true,
        };
        encode(&request).map(|body| serde_json::from_slice(&body).unwrap())
    }

    #[test]
    fn json_contains_the_elements() {
        let options = InferOptions::new().parameter("a", 1).output("y");
        let texts = Tensor::from_elements(vec![1, 2], vec!["é".to_owned(), String::new()]);
        let got = encoded(texts.unwrap(), options).unwrap();
        let expected = json!({"id": "7", "parameters": {"a": 1}, "outputs": [{"name": "y", "parameters": {}}], "inputs": [
            {"name": "x", "datatype": "BYTES", "shape": [1, 2], "parameters": {}, "data": ["é", ""]}]});
        assert_eq!(got, expected);
        let encoded = |tensor: Tensor| encoded(tensor, InferOptions::new());
        let numbers = Tensor::from_elements(vec![2], vec![0.5_f32, -3.0]).unwrap();
        assert_eq!(
            encoded(numbers).unwrap()["inputs"][0]["data"],
            json!([0.5, -3.0])
        );
        for tensor in [
            Tensor::from_elements(vec![1], vec![f64::NAN]).unwrap(),
            Tensor::from_elements(vec![1], vec![vec![0xff_u8]]).unwrap(),
            Tensor::new(DataType::Fp16, vec![1], Bytes::from_static(&[0, 0])).unwrap(),
        ] {
            let error = encoded(tensor).unwrap_err().to_string();
            assert!(
                error.contains("elements that JSON cannot represent"),
                "{error}"
            );
        }
    }
}
