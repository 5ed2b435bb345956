//! Inferences whose tensors are in shared memory.

use std::collections::BTreeMap;

use pytriton_protocol::proto::infer_parameter::ParameterChoice;
use pytriton_protocol::proto::model_infer_request::InferRequestedOutputTensor;
use pytriton_protocol::proto::{
    InferParameter, ModelInferRequest, ModelInferResponse, SystemSharedMemoryRegisterRequest,
    SystemSharedMemoryStatusRequest, SystemSharedMemoryUnregisterRequest,
};

use crate::request::InferRequest;
use crate::shared_memory::{Lent, Place};
use crate::{ClientError, Outputs, SharedMemoryRegion};

use super::error::failed;
use super::message;
use super::transport::{GrpcTransport, extend};

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

    pub(crate) async fn infer_shared(
        &self,
        request: &InferRequest,
        lent: &Lent,
    ) -> Result<Outputs, ClientError> {
        let mut asked = self.request(placed(message::encode(request), lent));
        extend(asked.metadata_mut(), &request.options.headers)?;
        let answer = self.client().model_infer(asked).await;
        let answer = answer.map_err(|status| failed(&request.model.to_string(), &status))?;
        message::decode(fetched(answer.into_inner(), lent)?)
    }
}

/// The message without what is in the region.
fn placed(mut message: ModelInferRequest, lent: &Lent) -> ModelInferRequest {
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

/// The answer with what is in the region.
fn fetched(mut answer: ModelInferResponse, lent: &Lent) -> Result<ModelInferResponse, ClientError> {
    let outputs = answer.outputs.len();
    answer
        .raw_output_contents
        .resize(outputs, Default::default());
    for (output, raw) in answer.outputs.iter().zip(&mut answer.raw_output_contents) {
        let shape = output.shape.iter().map(|dim| usize::try_from(*dim).ok());
        let shape: Option<Vec<usize>> = shape.collect();
        // What is none of the protocol is told by who reads the answer.
        let (Ok(datatype), Some(shape)) = (output.datatype.parse(), shape) else {
            continue;
        };
        if let Some(tensor) = lent.output(&output.name, datatype, &shape)? {
            *raw = tensor.data().clone();
        }
    }
    Ok(answer)
}
