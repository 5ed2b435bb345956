use crate::kserve::proto::FINAL;
use crate::proto::infer_parameter::ParameterChoice;
use crate::proto::{InferParameter, ModelInferResponse, ModelStreamInferResponse};
use crate::reception::Error;
use crate::text::for_client;

/// What the messages of a stream tell of the request that they answer.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) id: String,
    pub(super) model_name: String,
    pub(super) model_version: String,
}

impl Told {
    /// The end behind the last answer.
    pub(super) fn end(&self) -> ModelStreamInferResponse {
        ModelStreamInferResponse {
            error_message: String::new(),
            infer_response: Some(marked(self.empty(), true)),
        }
    }

    /// A failure before any answer.
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

    /// A failure of a request that was accepted; `last` where nothing comes behind it.
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

/// Whether the request was accepted before it failed. Triton tells more of such a request than of one it refused.
pub(super) fn executed(error: &Error) -> bool {
    match error {
        Error::Scheduler(error) => !error.is_refusal(),
        _ => false,
    }
}

/// Says whether a response is the last to its request.
fn marked(mut response: ModelInferResponse, last: bool) -> ModelInferResponse {
    let value = InferParameter {
        parameter_choice: Some(ParameterChoice::BoolParam(last)),
    };
    response.parameters.insert(FINAL.to_owned(), value);
    response
}
