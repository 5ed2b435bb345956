use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::stream::{BoxStream, Stream, StreamExt, try_unfold};

use crate::deadline::Deadline;
use crate::grpc;
use crate::{ClientError, InferOptions, Inputs, Outputs, Stage};

use super::core::{Asked, Core, Rows};
use super::worker::Worker;

/// A stream of the responses to a request.
///
/// The inference timeout applies to each response. The stream ends after an error. Dropping it
/// cancels the request.
pub struct AnswerStream(BoxStream<'static, Result<Outputs, ClientError>>);

enum State {
    Asking(Result<Inputs, ClientError>, InferOptions, Rows),
    Answering(Asked<grpc::Answers>),
}

impl AnswerStream {
    pub(super) fn new(
        core: Arc<Core>,
        inputs: Result<Inputs, ClientError>,
        options: InferOptions,
        rows: Rows,
    ) -> Self {
        let limit = options.timeout.unwrap_or(core.patience.inference);
        let state = State::Asking(inputs, options, rows);
        let answers = try_unfold((core, state), move |(core, state)| async move {
            let (mut asked, deadline) = match state {
                State::Asking(inputs, options, rows) => {
                    let asked = core.stream(inputs?, options, rows).await?;
                    let deadline = asked.deadline;
                    (asked, deadline)
                }
                State::Answering(asked) => (asked, Deadline::new(Stage::Inference, limit)),
            };
            let next = deadline.within(asked.answer.next()).await;
            asked.under_way.heard(next.as_ref().err());
            let Some(outputs) = next? else {
                return Ok(None);
            };
            let outputs = match asked.squeezed {
                true => outputs.first_row()?,
                false => outputs,
            };
            Ok(Some((outputs, (core, State::Answering(asked)))))
        });
        Self(answers.boxed())
    }

    /// Wraps an existing stream of responses.
    pub(super) fn of(
        answers: impl Stream<Item = Result<Outputs, ClientError>> + Send + 'static,
    ) -> Self {
        Self(answers.boxed())
    }
}

impl Stream for AnswerStream {
    type Item = Result<Outputs, ClientError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_next_unpin(context)
    }
}

impl std::fmt::Debug for AnswerStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AnswerStream").finish_non_exhaustive()
    }
}

/// An iterator of the responses to a request, for blocking clients.
#[derive(Debug)]
pub struct Answers {
    stream: Option<AnswerStream>,
    worker: Arc<Worker>,
}

impl Answers {
    pub(super) fn new(stream: AnswerStream, worker: Arc<Worker>) -> Self {
        let stream = Some(stream);
        Self { stream, worker }
    }
}

impl Iterator for Answers {
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
