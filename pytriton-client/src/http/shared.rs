//! Inferences with tensors in shared memory.

use bytes::Bytes;
use hyper::Method;
use hyper::http::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use pytriton_protocol::tensor::{DataType, Tensor};
use serde_json::{Value, json};

use crate::request::InferRequest;
use crate::shared_memory::{Location, RegionGuard};
use crate::{ClientError, Outputs, SharedMemoryRegion};

use super::body::Pieces;
use super::head::{HEADER_LENGTH, encoded, headers};
use super::transport::{HttpTransport, failed, path};
use super::{request, response};

const REGIONS: &str = "/v2/systemsharedmemory";

impl HttpTransport {
    pub(crate) async fn regions(&self) -> Result<Vec<SharedMemoryRegion>, ClientError> {
        let status = self.get("", &format!("{REGIONS}/status")).await?;
        let regions = status.as_array().into_iter().flatten();
        let regions = regions.map(|region| {
            let text = |name: &str| region[name].as_str().unwrap_or_default().to_owned();
            let number = |name: &str| region[name].as_u64().unwrap_or_default();
            SharedMemoryRegion {
                name: text("name"),
                key: text("key"),
                offset: number("offset"),
                byte_size: number("byte_size"),
            }
        });
        Ok(regions.collect())
    }

    pub(crate) async fn register(
        &self,
        name: &str,
        key: &str,
        byte_size: usize,
    ) -> Result<(), ClientError> {
        let body = json!({"key": key, "offset": 0, "byte_size": byte_size});
        self.update_region(name, "register", body).await
    }

    pub(crate) async fn unregister(&self, name: &str) -> Result<(), ClientError> {
        self.update_region(name, "unregister", json!({})).await
    }

    async fn update_region(&self, name: &str, what: &str, body: Value) -> Result<(), ClientError> {
        let path = format!("{REGIONS}/region/{}/{what}", encoded(name));
        let body = Pieces::new([Bytes::from(body.to_string())]);
        let response = self
            .ask(Method::POST, &path, HeaderMap::new(), body)
            .await?;
        match response.status {
            200 => Ok(()),
            _ => Err(failed("", &response)),
        }
    }

    pub(crate) async fn infer_shared(
        &self,
        request: &InferRequest,
        guard: &RegionGuard,
    ) -> Result<Outputs, ClientError> {
        let (length, pieces) = encode(request, guard)?;
        let mut headers = headers(&request.options.headers)?;
        headers.insert(&HEADER_LENGTH, HeaderValue::from(length));
        let octets = HeaderValue::from_static("application/octet-stream");
        headers.insert(CONTENT_TYPE, octets);
        let path = format!("{}/infer", path(&request.model));
        let body = Pieces::new(pieces);
        let response = self.ask(Method::POST, &path, headers, body).await?;
        match response.status {
            200 => decode(&response.body, response.header_length, guard),
            _ => Err(failed(&request.model.to_string(), &response)),
        }
    }
}

/// Encodes a request with tensors in the region.
fn encode(request: &InferRequest, guard: &RegionGuard) -> Result<(usize, Vec<Bytes>), ClientError> {
    let (length, pieces) = request::encode(request);
    let json = pieces.first().and_then(|piece| piece.get(..length));
    let mut json: Value = serde_json::from_slice(json.unwrap_or_default())
        .map_err(|error| ClientError::inputs(format!("cannot build the request: {error}")))?;
    let mut elements = Vec::new();
    for (index, (_, tensor)) in request.inputs.iter().enumerate() {
        match guard.input(index) {
            Some(location) => json["inputs"][index]["parameters"] = parameters(guard, location),
            None => elements.push(tensor.data().clone()),
        }
    }
    let outputs = guard.outputs().map(|(name, location)| {
        let binary = json!({"binary_data": true});
        json!({"name": name, "parameters": location.map_or(binary, |location| parameters(guard, location))})
    });
    json["outputs"] = outputs.collect();
    let json = Bytes::from(json.to_string());
    Ok((json.len(), [json].into_iter().chain(elements).collect()))
}

fn parameters(guard: &RegionGuard, location: Location) -> Value {
    json!({
        "shared_memory_region": guard.region().name(),
        "shared_memory_offset": location.offset,
        "shared_memory_byte_size": location.len,
    })
}

/// Decodes a response with outputs in the region.
fn decode(
    body: &Bytes,
    header: Option<usize>,
    guard: &RegionGuard,
) -> Result<Outputs, ClientError> {
    let end = header.unwrap_or(body.len()).min(body.len());
    let mut json: Value = serde_json::from_slice(&body[..end])
        .map_err(|error| ClientError::protocol(format!("it is not valid JSON: {error}")))?;
    let mut fetched = Vec::new();
    if let Some(outputs) = json["outputs"].as_array_mut() {
        let mut index = 0;
        outputs.retain(|output| {
            index += 1;
            match of_region(output, guard) {
                Ok(None) => true,
                found => {
                    fetched.push((index - 1, found));
                    false
                }
            }
        });
    }
    let json = Bytes::from(json.to_string());
    let rest = Bytes::from([json.clone(), body.slice(end..)].concat());
    let mut outputs = response::decode(&rest, Some(json.len()))?;
    for (index, found) in fetched {
        if let Some(tensor) = found? {
            let index = index.min(outputs.tensors.len());
            outputs.tensors.insert(index, tensor);
        }
    }
    Ok(outputs)
}

/// Reads an output that was requested in the region and has no elements in the response. Servers do
/// not report where they have stored it.
fn of_region(output: &Value, guard: &RegionGuard) -> Result<Option<(String, Tensor)>, ClientError> {
    let is_here = |member: &Value| !member.is_null();
    if is_here(&output["data"]) || is_here(&output["parameters"]["binary_data_size"]) {
        return Ok(None);
    }
    let name = output["name"].as_str().unwrap_or_default();
    let datatype = output["datatype"].as_str().unwrap_or_default();
    let dims = output["shape"].as_array().into_iter().flatten();
    let shape = dims.map(|dim| usize::try_from(dim.as_u64()?).ok());
    let shape: Option<Vec<usize>> = shape.collect();
    // The decoder reports violations of the protocol.
    let (Ok(datatype), Some(shape)) = (datatype.parse::<DataType>(), shape) else {
        return Ok(None);
    };
    let tensor = guard.output(name, datatype, &shape)?;
    Ok(tensor.map(|tensor| (name.to_owned(), tensor)))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::InferOptions;
    use crate::config::ModelConfig;
    use crate::shared_memory::Pool;

    use super::*;

    #[tokio::test]
    async fn elements_in_the_response_are_preferred() {
        let output = |name| json!({"name": name, "data_type": "TYPE_UINT8", "dims": [65536]});
        let outputs = ["x", "y", "z"].map(output);
        let model = ModelConfig::from_json(&json!({"name": "m", "output": outputs})).unwrap();
        let pool = Arc::new(Pool::new(8 << 20));
        let guard = RegionGuard::new(&pool, &model, &[], &InferOptions::new(), false).await;
        let json = json!({"outputs": [
            {"name": "x", "datatype": "UINT8", "shape": [2], "data": [1, 2]},
            {"name": "y", "datatype": "UINT8", "shape": [2]},
            {"name": "z", "datatype": "UINT8", "shape": [2], "parameters": {"binary_data_size": 2}}]});
        let json = json.to_string();
        let body = Bytes::from([json.as_bytes(), &[3, 4]].concat());
        let outputs = decode(&body, Some(json.len()), &guard.unwrap().unwrap()).unwrap();
        let found = outputs.tensors();
        let found: Vec<_> = found
            .map(|(name, tensor)| (name, &tensor.data()[..]))
            .collect();
        let expected: [(&str, &[u8]); 3] = [("x", &[1, 2]), ("y", &[0, 0]), ("z", &[3, 4])];
        assert_eq!(found, expected);
    }
}
