use std::mem::replace;
use std::sync::Arc;

use futures_util::stream::{BoxStream, StreamExt, unfold};
use tonic::Status;

use crate::proto::ModelStreamInferResponse;
use crate::reception::Error;
use crate::request::{InferRequest, RequestedOutput};
use crate::serving::{Answers, Model};

use super::GrpcError;
use super::answers::{Pieces, framed};
use super::call::Call;
use super::infer::encoded;
use super::told::Told;

/// The answers to one request of a decoupled model.
pub(super) struct Streamed {
    call: Arc<Call>,
    model: Arc<Model>,
    told: Told,
    requested: Vec<RequestedOutput>,
    /// Whether the end is told in a message of its own.
    end: bool,
    /// Whether a failed execution ends the whole stream.
    strict: bool,
    stage: Stage,
}

enum Stage {
    Asked(Box<InferRequest>),
    Answered(Answers),
    Over,
}

impl Streamed {
    pub(super) fn new(
        (call, strict): (Arc<Call>, bool),
        told: Told,
        end: bool,
        (model, request): (Arc<Model>, InferRequest),
    ) -> Self {
        Self {
            call,
            model,
            told,
            requested: request.outputs.clone(),
            end,
            strict,
            stage: Stage::Asked(Box::new(request)),
        }
    }

    /// The messages, one for each answer, and one for the end where it is asked for.
    pub(super) fn messages(self) -> BoxStream<'static, Result<Pieces, Status>> {
        let messages = unfold(self, async |mut answers| {
            let message = answers.next().await?;
            Some((message.and_then(framed), answers))
        });
        messages.boxed()
    }

    async fn next(&mut self) -> Option<Result<ModelStreamInferResponse, Status>> {
        let mut answers = match replace(&mut self.stage, Stage::Over) {
            Stage::Over => return None,
            Stage::Answered(answers) => answers,
            Stage::Asked(request) => {
                let reception = &self.call.reception;
                match reception.answers(&self.model, *request).await {
                    Ok(answers) => answers,
                    Err(error) => return Some(Ok(self.told.failed(&error))),
                }
            }
        };
        let Some(answer) = answers.next().await else {
            return self.end.then(|| Ok(self.told.end()));
        };
        let response = match answer {
            Ok(response) => {
                let (model, id) = (Arc::clone(&self.model), self.told.id.clone());
                encoded(model, id, self.requested.clone(), response).await
            }
            Err(error) => {
                let over = answers.are_over();
                if !over {
                    self.stage = Stage::Answered(answers);
                }
                return Some(self.broken(error.into(), over));
            }
        };
        Some(match response {
            Ok(response) => {
                self.stage = Stage::Answered(answers);
                Ok(self.told.answer(response))
            }
            Err(error) => self.broken(error, true),
        })
    }

    fn broken(&self, error: Error, last: bool) -> Result<ModelStreamInferResponse, Status> {
        match self.strict {
            true => Err(GrpcError::from(error).into()),
            false => Ok(self.told.broken(&error, last)),
        }
    }
}
