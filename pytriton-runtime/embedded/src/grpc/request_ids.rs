use std::mem::take;

use pytriton_core::memory_budget::{MemoryBudgetError, MemoryPermit};
use pytriton_core::request::ParameterValue;
use pytriton_core::text::for_client;
use pytriton_kserve::proto::FINAL;
use pytriton_protocol::proto::{ModelInferRequest, ModelInferResponse, ModelStreamInferResponse};
use tonic::Status;

use crate::service::Error;

use super::GrpcError;
use super::framed::{Framed, framed};

/// The fields of a stream message that identify its request. Their memory is reserved.
#[derive(Debug)]
pub(super) struct RequestIds {
    pub(super) id: String,
    pub(super) model_name: String,
    pub(super) model_version: String,
    /// Covers the texts.
    permit: MemoryPermit,
}

impl RequestIds {
    /// Copies the ID of a request, and takes its model. Memory is reserved with `permit`, which is
    /// empty.
    pub(super) fn of(
        request: &mut ModelInferRequest,
        mut permit: MemoryPermit,
    ) -> Result<Self, MemoryBudgetError> {
        let model = request.model_name.len() + request.model_version.len();
        permit.grow(request.id.len() + model)?;
        Ok(Self {
            id: request.id.clone(),
            model_name: take(&mut request.model_name),
            model_version: take(&mut request.model_version),
            permit,
        })
    }

    /// Returns the message after the last response.
    pub(super) fn end(&self) -> Result<Framed, Status> {
        self.framed(|| ModelStreamInferResponse {
            error_message: String::new(),
            infer_response: Some(marked(self.empty(), true)),
        })
    }

    /// Returns the message of an error before any response.
    pub(super) fn failed(&self, error: &Error) -> Result<Framed, Status> {
        if executed(error) {
            return self.broken(error, true);
        }
        self.framed(|| ModelStreamInferResponse {
            error_message: for_client(error),
            infer_response: Some(ModelInferResponse {
                id: self.id.clone(),
                ..ModelInferResponse::default()
            }),
        })
    }

    /// Returns the message of an error of an accepted request. `last` states whether nothing
    /// follows.
    pub(super) fn broken(&self, error: &Error, last: bool) -> Result<Framed, Status> {
        self.framed(|| ModelStreamInferResponse {
            error_message: for_client(error),
            infer_response: Some(marked(self.empty(), last)),
        })
    }

    /// Encodes a message that contains copies of the texts.
    fn framed(&self, message: impl FnOnce() -> ModelStreamInferResponse) -> Result<Framed, Status> {
        let mut copies = self.permit.sibling();
        let reserved = copies.grow(self.permit.bytes());
        reserved.map_err(|error| GrpcError::from(Error::from(error)))?;
        framed(&message(), self.permit.sibling())
    }

    fn empty(&self) -> ModelInferResponse {
        ModelInferResponse {
            id: self.id.clone(),
            model_name: self.model_name.clone(),
            model_version: self.model_version.clone(),
            ..ModelInferResponse::default()
        }
    }
}

/// Returns whether the request was accepted before it failed. Triton reports more about these.
pub(super) fn executed(error: &Error) -> bool {
    match error {
        Error::Scheduler(error) => !error.is_refusal(),
        _ => false,
    }
}

/// Marks whether a response is the last one.
fn marked(mut response: ModelInferResponse, last: bool) -> ModelInferResponse {
    let last = ParameterValue::Bool(last).into();
    response.parameters.insert(FINAL.to_owned(), last);
    response
}
