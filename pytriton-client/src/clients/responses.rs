use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::stream::{BoxStream, Stream, StreamExt, try_unfold};

use crate::deadline::Deadline;
use crate::grpc;
use crate::{ClientError, InferOptions, Inputs, Outputs, Stage};

use super::core::{Core, InferenceResponse, Rows};
use super::worker::Worker;

/// A stream of the responses to a request.
///
/// The inference timeout applies to each response. The stream ends after an error. Dropping it
/// cancels the request.
pub struct ResponseStream(BoxStream<'static, Result<Outputs, ClientError>>);

enum State {
    Unsent(Result<Inputs, ClientError>, InferOptions, Rows),
    Sent(InferenceResponse<grpc::ResponseStream>),
}

impl ResponseStream {
    pub(super) fn new(
        core: Arc<Core>,
        inputs: Result<Inputs, ClientError>,
        options: InferOptions,
        rows: Rows,
    ) -> Self {
        let limit = options.timeout.unwrap_or(core.retry_policy.inference);
        let state = State::Unsent(inputs, options, rows);
        let responses = try_unfold((core, state), move |(core, state)| async move {
            let (mut response, deadline) = match state {
                State::Unsent(inputs, options, rows) => {
                    let response = core.stream(inputs?, options, rows).await?;
                    let deadline = response.deadline;
                    (response, deadline)
                }
                State::Sent(response) => (response, Deadline::new(Stage::Inference, limit)),
            };
            let next = deadline.within(response.content.next()).await;
            response.in_flight.record(next.as_ref().err());
            let Some(outputs) = next? else {
                return Ok(None);
            };
            let outputs = match response.squeezed {
                true => outputs.first_row()?,
                false => outputs,
            };
            Ok(Some((outputs, (core, State::Sent(response)))))
        });
        Self(responses.boxed())
    }

    /// Wraps an existing stream of responses.
    pub(super) fn of(
        responses: impl Stream<Item = Result<Outputs, ClientError>> + Send + 'static,
    ) -> Self {
        Self(responses.boxed())
    }
}

impl Stream for ResponseStream {
    type Item = Result<Outputs, ClientError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_next_unpin(context)
    }
}

impl std::fmt::Debug for ResponseStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ResponseStream").finish_non_exhaustive()
    }
}

/// An iterator of the responses to a request, for blocking clients.
#[derive(Debug)]
pub struct ResponseIter {
    stream: Option<ResponseStream>,
    worker: Arc<Worker>,
}

impl ResponseIter {
    pub(super) fn new(stream: ResponseStream, worker: Arc<Worker>) -> Self {
        let stream = Some(stream);
        Self { stream, worker }
    }
}

impl Iterator for ResponseIter {
    type Item = Result<Outputs, ClientError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut stream = self.stream.take()?;
        let next = async move { (stream.next().await, stream) };
        let (next, stream) = match self.worker.run(next) {
            Ok(next) => next,
            Err(error) => return Some(Err(error)),
        };
        self.stream = next.is_some().then_some(stream);
        next
    }
}
