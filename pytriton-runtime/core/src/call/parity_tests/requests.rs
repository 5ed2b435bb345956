use std::sync::Arc;

use serde_json::{Map, Value};

use crate::model::ModelSpec;
use crate::request::{InferInput, InferRequest, Request, Response};

use super::tensors::tensor;

/// Returns whether the request has rows. The server refuses others.
pub(super) fn has_rows(spec: &ModelSpec, request: &Value) -> bool {
    let first = request.as_object().unwrap().values().next().unwrap();
    !spec.batching() || first[1][0].as_u64() != Some(0)
}

pub(super) fn request(spec: &Arc<ModelSpec>, inputs: &Value) -> Request {
    let inputs = inputs.as_object().unwrap().iter().map(|(name, value)| {
        let tensor = tensor(value);
        let shape = tensor.shape().iter();
        InferInput {
            name: name.clone(),
            datatype: tensor.datatype(),
            shape: shape.map(|&dim| i64::try_from(dim).unwrap()).collect(),
            data: tensor.data().clone(),
        }
    });
    let request = InferRequest {
        inputs: inputs.collect(),
        ..InferRequest::new(crate::memory_budget::MemoryPermit::unlimited())
    };
    Request::check(spec, request).unwrap()
}

pub(super) fn response(spec: &ModelSpec, outputs: &Value) -> Response {
    let outputs: &Map<String, Value> = outputs.as_object().unwrap();
    let tensors = spec.outputs.iter().enumerate();
    Response::new(
        tensors
            .map(|(index, output)| (index, tensor(&outputs[&*output.name]).into()))
            .collect(),
    )
}
