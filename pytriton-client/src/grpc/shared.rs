//! Inferences with tensors in shared memory.

use std::collections::BTreeMap;

use bytes::Bytes;
use pytriton_protocol::proto::infer_parameter::ParameterChoice;
use pytriton_protocol::proto::model_infer_request::InferRequestedOutputTensor;
use pytriton_protocol::proto::model_infer_response::InferOutputTensor;
use pytriton_protocol::proto::{
    InferParameter, InferTensorContents, ModelInferRequest, ModelInferResponse,
    SystemSharedMemoryRegisterRequest, SystemSharedMemoryStatusRequest,
    SystemSharedMemoryUnregisterRequest,
};
use pytriton_protocol::tensor::Tensor;

use crate::shared_memory::{Location, RegionGuard};
use crate::{ClientError, SharedMemoryRegion};

use super::contents;
use super::error::failed;
use super::transport::GrpcTransport;

impl GrpcTransport {
    pub(crate) async fn regions(&self) -> Result<Vec<SharedMemoryRegion>, ClientError> {
        let request = self.request(SystemSharedMemoryStatusRequest::default());
        let response = self.client().system_shared_memory_status(request).await;
        let response = response.map_err(|status| failed("", &status))?;
        let regions = response.into_inner().regions.into_values();
        let regions = regions.map(|region| SharedMemoryRegion {
            name: region.name,
            key: region.key,
            offset: region.offset,
            byte_size: region.byte_size,
        });
        Ok(regions.collect())
    }

    pub(crate) async fn register(
        &self,
        name: &str,
        key: &str,
        byte_size: usize,
    ) -> Result<(), ClientError> {
        let request = self.request(SystemSharedMemoryRegisterRequest {
            name: name.to_owned(),
            key: key.to_owned(),
            offset: 0,
            byte_size: byte_size as u64,
        });
        let response = self.client().system_shared_memory_register(request).await;
        response.map(drop).map_err(|status| failed("", &status))
    }

    pub(crate) async fn unregister(&self, name: &str) -> Result<(), ClientError> {
        let request = self.request(SystemSharedMemoryUnregisterRequest {
            name: name.to_owned(),
        });
        let response = self.client().system_shared_memory_unregister(request).await;
        response.map(drop).map_err(|status| failed("", &status))
    }
}

/// Replaces the tensors in the region by their location.
pub(super) fn with_locations(
    mut message: ModelInferRequest,
    guard: &RegionGuard,
) -> ModelInferRequest {
    let mut raw = Vec::new();
    let contents = message.raw_input_contents.into_iter();
    for (index, (input, content)) in message.inputs.iter_mut().zip(contents).enumerate() {
        match guard.input(index) {
            Some(location) => input.parameters = parameters(guard, location),
            None => raw.push(content),
        }
    }
    message.raw_input_contents = raw;
    let outputs = guard
        .outputs()
        .map(|(name, location)| InferRequestedOutputTensor {
            name: name.to_owned(),
            parameters: location.map_or_else(BTreeMap::new, |location| parameters(guard, location)),
        });
    message.outputs = outputs.collect();
    message
}

fn parameters(guard: &RegionGuard, location: Location) -> BTreeMap<String, InferParameter> {
    let number = |value| ParameterChoice::Int64Param(i64::try_from(value).unwrap_or(i64::MAX));
    let region = ParameterChoice::StringParam(guard.region().name().to_owned());
    [
        ("shared_memory_region", region),
        ("shared_memory_offset", number(location.offset)),
        ("shared_memory_byte_size", number(location.len)),
    ]
    .map(|(name, choice)| {
        let parameter_choice = Some(choice);
        (name.to_owned(), InferParameter { parameter_choice })
    })
    .into()
}

/// Adds the outputs in the region to the response.
pub(super) fn fetched(
    mut response: ModelInferResponse,
    guard: &RegionGuard,
) -> Result<ModelInferResponse, ClientError> {
    // Some servers send an empty entry for such an output, others send none.
    let places = response.raw_output_contents.len() == response.outputs.len();
    let mut raw = response.raw_output_contents.into_iter();
    let mut all = Vec::new();
    for output in &mut response.outputs {
        let here = if places { raw.next() } else { None };
        all.push(match here.filter(|here| !here.is_empty()) {
            Some(here) => here,
            None => match elsewhere(output, guard)? {
                Some(tensor) => tensor.data().clone(),
                None if places => Bytes::new(),
                None => raw.next().unwrap_or_default(),
            },
        });
    }
    response.raw_output_contents = all;
    Ok(response)
}

/// Reads an output without raw elements: its typed elements, or those in the region. Servers do not
/// report that an output is in the region.
fn elsewhere(
    output: &mut InferOutputTensor,
    guard: &RegionGuard,
) -> Result<Option<Tensor>, ClientError> {
    let shape = output.shape.iter().map(|dim| usize::try_from(*dim).ok());
    let shape: Option<Vec<usize>> = shape.collect();
    // The decoder reports violations of the protocol.
    let (Ok(datatype), Some(shape)) = (output.datatype.parse(), shape) else {
        return Ok(None);
    };
    let numbers = output.contents.take();
    match numbers.filter(|numbers| *numbers != InferTensorContents::default()) {
        Some(numbers) => {
            let tensor = contents::tensor(datatype, shape, numbers);
            tensor.map(Some).map_err(ClientError::tensor(&output.name))
        }
        None => guard.output(&output.name, datatype, &shape),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::InferOptions;
    use crate::config::ModelConfig;
    use crate::shared_memory::Pool;

    use super::super::message;
    use super::*;

    #[tokio::test]
    async fn elements_in_the_response_are_preferred() {
        let output =
            |name| serde_json::json!({"name": name, "data_type": "TYPE_UINT8", "dims": [65536]});
        let model = serde_json::json!({"name": "m", "output": [output("x"), output("y")]});
        let model = ModelConfig::from_json(&model).unwrap();
        let pool = Arc::new(Pool::new(8 << 20));
        let guard = RegionGuard::new(&pool, &model, &[], &InferOptions::new(), false).await;
        let guard = guard.unwrap().unwrap();
        let output = |name: &str, numbers: Option<Vec<u32>>| InferOutputTensor {
            name: name.to_owned(),
            datatype: "UINT8".to_owned(),
            shape: vec![2],
            contents: numbers.map(|numbers| InferTensorContents {
                uint_contents: numbers,
                ..InferTensorContents::default()
            }),
            ..InferOutputTensor::default()
        };
        let some = Bytes::from_static(&[1, 2]);
        let none = Bytes::from_static(&[0, 0]);
        let table = [
            (None, vec![some.clone(), Bytes::new()], [&some, &none]),
            (None, vec![Bytes::new(), some.clone()], [&none, &some]),
            (None, vec![], [&none, &none]),
            (Some(vec![]), vec![], [&none, &none]),
            (Some(vec![1, 2]), vec![], [&some, &none]),
        ];
        for (numbers, raw, expected) in table {
            let response = ModelInferResponse {
                outputs: vec![output("x", numbers), output("y", None)],
                raw_output_contents: raw,
                ..ModelInferResponse::default()
            };
            let outputs = message::decode(fetched(response, &guard).unwrap()).unwrap();
            let found = outputs.tensors().map(|(_, tensor)| tensor.data());
            assert!(found.eq(expected));
        }
    }
}
