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

use crate::shared_memory::{Lent, Place};
use crate::{ClientError, SharedMemoryRegion};

use super::contents;
use super::error::failed;
use super::transport::GrpcTransport;

impl GrpcTransport {
    pub(crate) async fn regions(&self) -> Result<Vec<SharedMemoryRegion>, ClientError> {
        let asked = self.request(SystemSharedMemoryStatusRequest::default());
        let answer = self.client().system_shared_memory_status(asked).await;
        let answer = answer.map_err(|status| failed("", &status))?;
        let regions = answer.into_inner().regions.into_values();
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
        let asked = self.request(SystemSharedMemoryRegisterRequest {
            name: name.to_owned(),
            key: key.to_owned(),
            offset: 0,
            byte_size: byte_size as u64,
        });
        let answer = self.client().system_shared_memory_register(asked).await;
        answer.map(drop).map_err(|status| failed("", &status))
    }

    pub(crate) async fn unregister(&self, name: &str) -> Result<(), ClientError> {
        let asked = self.request(SystemSharedMemoryUnregisterRequest {
            name: name.to_owned(),
        });
        let answer = self.client().system_shared_memory_unregister(asked).await;
        answer.map(drop).map_err(|status| failed("", &status))
    }
}

/// Replaces the tensors in the region by their location.
pub(super) fn placed(mut message: ModelInferRequest, lent: &Lent) -> ModelInferRequest {
    let mut raw = Vec::new();
    let contents = message.raw_input_contents.into_iter();
    for (index, (input, content)) in message.inputs.iter_mut().zip(contents).enumerate() {
        match lent.input(index) {
            Some(place) => input.parameters = parameters(lent, place),
            None => raw.push(content),
        }
    }
    message.raw_input_contents = raw;
    let outputs = lent
        .outputs()
        .map(|(name, place)| InferRequestedOutputTensor {
            name: name.to_owned(),
            parameters: place.map_or_else(BTreeMap::new, |place| parameters(lent, place)),
        });
    message.outputs = outputs.collect();
    message
}

fn parameters(lent: &Lent, place: Place) -> BTreeMap<String, InferParameter> {
    let number = |value| ParameterChoice::Int64Param(i64::try_from(value).unwrap_or(i64::MAX));
    let region = ParameterChoice::StringParam(lent.region().name().to_owned());
    [
        ("shared_memory_region", region),
        ("shared_memory_offset", number(place.offset)),
        ("shared_memory_byte_size", number(place.len)),
    ]
    .map(|(name, choice)| {
        let parameter_choice = Some(choice);
        (name.to_owned(), InferParameter { parameter_choice })
    })
    .into()
}

/// Adds the outputs in the region to the response.
pub(super) fn fetched(
    mut answer: ModelInferResponse,
    lent: &Lent,
) -> Result<ModelInferResponse, ClientError> {
    // Some servers send an empty entry for such an output, others send none.
    let places = answer.raw_output_contents.len() == answer.outputs.len();
    let mut raw = answer.raw_output_contents.into_iter();
    let mut all = Vec::new();
    for output in &mut answer.outputs {
        let here = if places { raw.next() } else { None };
        all.push(match here.filter(|here| !here.is_empty()) {
            Some(here) => here,
            None => match elsewhere(output, lent)? {
                Some(tensor) => tensor.data().clone(),
                None if places => Bytes::new(),
                None => raw.next().unwrap_or_default(),
            },
        });
    }
    answer.raw_output_contents = all;
    Ok(answer)
}

/// Reads an output without raw elements: its typed elements, or those in the region. Servers do not
/// report that an output is in the region.
fn elsewhere(output: &mut InferOutputTensor, lent: &Lent) -> Result<Option<Tensor>, ClientError> {
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
        None => lent.output(&output.name, datatype, &shape),
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
    async fn elements_that_are_in_the_answer_are_taken_from_there() {
        let output =
            |name| serde_json::json!({"name": name, "data_type": "TYPE_UINT8", "dims": [65536]});
        let model = serde_json::json!({"name": "m", "output": [output("x"), output("y")]});
        let model = ModelConfig::from_json(&model).unwrap();
        let pool = Arc::new(Pool::new(8 << 20));
        let lent = Lent::new(&pool, &model, &[], &InferOptions::new(), false).await;
        let lent = lent.unwrap().unwrap();
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
            let answer = ModelInferResponse {
                outputs: vec![output("x", numbers), output("y", None)],
                raw_output_contents: raw,
                ..ModelInferResponse::default()
            };
            let outputs = message::decode(fetched(answer, &lent).unwrap()).unwrap();
            let found = outputs.tensors().map(|(_, tensor)| tensor.data());
            assert!(found.eq(expected));
        }
    }
}
