use crate::kserve::proto::FINAL;
use crate::proto::infer_parameter::ParameterChoice;
use crate::proto::{InferParameter, ModelInferResponse, ModelStreamInferResponse};
use crate::service::Error;
use crate::text::for_client;

/// The fields of a stream message that identify its request.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) id: String,
    pub(super) model_name: String,
    pub(super) model_version: String,
}

impl Told {
    /// Returns the message after the last response.
    pub(super) fn end(&self) -> ModelStreamInferResponse {
        ModelStreamInferResponse {
            error_message: String::new(),
            infer_response: Some(marked(self.empty(), true)),
        }
    }

    /// Returns the message of an error before any response.
    pub(super) fn failed(&self, error: &Error) -> ModelStreamInferResponse {
        if executed(error) {
            return self.broken(error, true);
        }
        ModelStreamInferResponse {
            error_message: for_client(error),
            infer_response: Some(ModelInferResponse {
                id: self.id.clone(),
                ..ModelInferResponse::default()
            }),
        }
    }

    /// Returns the message of an error of an accepted request. `last` tells whether nothing
    /// follows.
    pub(super) fn broken(&self, error: &Error, last: bool) -> ModelStreamInferResponse {
        ModelStreamInferResponse {
            error_message: for_client(error),
            infer_response: Some(marked(self.empty(), last)),
        }
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
    let value = InferParameter {
        parameter_choice: Some(ParameterChoice::BoolParam(last)),
    };
    response.parameters.insert(FINAL.to_owned(), value);
    response
}
