use std::sync::Arc;
use std::task::Poll;

use futures_util::stream::poll_fn;
use futures_util::{FutureExt, Stream, StreamExt};
use tonic::metadata::MetadataMap;
use tonic::{Code, Streaming};

use crate::proto::infer_parameter::ParameterChoice;
use crate::proto::{
    InferParameter, ModelInferRequest, ModelInferResponse, ModelStreamInferResponse,
};
use crate::reception::{Error, Reception};
use crate::request::Parameters;
use crate::scheduler::SchedulerError;
use crate::text::for_client;

use super::GrpcError;
use super::infer::{forwarded, infer};

/// How many requests of one stream are under way at a time; the next one is read when the oldest is answered.
const IN_FLIGHT: usize = 16;

/// The metadata by which a client asks that a failed execution ends the stream with its status.
const STRICT: &str = "triton_grpc_error";

/// The answers to the requests of a stream, in their order. Dropping it gives up those that are under way.
///
/// When the server stops, all requests that have come are answered; a stream on which more could come then ends with the
/// status that says so.
pub(super) fn answers(
    reception: Arc<Reception>,
    metadata: &MetadataMap,
    messages: Streaming<ModelInferRequest>,
) -> impl Stream<Item = Result<ModelStreamInferResponse, tonic::Status>> + Send + 'static {
    let stopping = Box::pin(reception.models.stopping());
    let limit = reception.limits.max_request_bytes;
    let call = Arc::new(Call {
        forwarded: forwarded(&reception, metadata),
        strict: metadata.get(STRICT).is_some_and(|value| value == "true"),
        reception,
    });
    until_stopping(messages, stopping)
        .map(move |message| {
            let call = Arc::clone(&call);
            async move {
                call.answer(message.map_err(|status| too_large(status, limit))?)
                    .await
            }
        })
        .buffered(IN_FLIGHT)
}

/// The messages that have come by the time the server stops, and the error behind them if the client could send more.
fn until_stopping(
    mut messages: Streaming<ModelInferRequest>,
    mut stopping: impl Future<Output = ()> + Unpin,
) -> impl Stream<Item = Result<ModelInferRequest, tonic::Status>> {
    let mut ended = false;
    poll_fn(move |context| {
        if ended {
            return Poll::Ready(None);
        }
        if let Poll::Ready(message) = messages.poll_next_unpin(context) {
            ended = message.is_none();
            return Poll::Ready(message);
        }
        if stopping.poll_unpin(context).is_pending() {
            return Poll::Pending;
        }
        ended = true;
        let error = Error::from(SchedulerError::Stopping);
        Poll::Ready(Some(Err(GrpcError::from(error).into())))
    })
}

#[derive(Debug)]
struct Call {
    reception: Arc<Reception>,
    forwarded: Parameters,
    strict: bool,
}

impl Call {
    async fn answer(
        &self,
        message: ModelInferRequest,
    ) -> Result<ModelStreamInferResponse, tonic::Status> {
        let failed = ModelInferResponse {
            model_name: message.model_name.clone(),
            model_version: message.model_version.clone(),
            id: message.id.clone(),
            ..ModelInferResponse::default()
        };
        match infer(&self.reception, &self.forwarded, message).await {
            Ok(response) => Ok(ModelStreamInferResponse {
                error_message: String::new(),
                infer_response: Some(last(response)),
            }),
            Err(error) if self.strict && executed(&error) => Err(GrpcError::from(error).into()),
            Err(error) => Ok(ModelStreamInferResponse {
                error_message: for_client(&error),
                infer_response: Some(match executed(&error) {
                    true => last(failed),
                    false => ModelInferResponse {
                        id: failed.id,
                        ..ModelInferResponse::default()
                    },
                }),
            }),
        }
    }
}

/// Whether the request was accepted before it failed. Triton tells more of such a request than of one it refused.
fn executed(error: &Error) -> bool {
    match error {
        Error::Scheduler(error) => !matches!(
            error,
            SchedulerError::QueueFull { .. } | SchedulerError::Stopping
        ),
        _ => false,
    }
}

/// Marks the last response to a request; here every one is.
fn last(mut response: ModelInferResponse) -> ModelInferResponse {
    let value = InferParameter {
        parameter_choice: Some(ParameterChoice::BoolParam(true)),
    };
    response
        .parameters
        .insert("triton_final_response".to_owned(), value);
    response
}

/// Gives a message above the limit the error that it has outside of streams.
fn too_large(status: tonic::Status, limit: usize) -> tonic::Status {
    match status.code() {
        Code::OutOfRange | Code::ResourceExhausted => GrpcError::TooLarge { limit }.into(),
        _ => status,
    }
}
