use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use futures_util::stream::Stream;
use tonic::Status;

use crate::kserve::CodecError;
use crate::kserve::proto::{Envelope, ResponseWriter};
use crate::memory_budget::MemoryPermit;
use crate::offload::by_weight;
use crate::repository::{Answers, Model};
use crate::request::{InferRequest, Response, TraceEvents};
use crate::response_channel::SchedulerError;
use crate::service::Error;

use super::GrpcError;
use super::answers::{Framed, written};
use super::call::Call;
use super::stream_load::InProgress;
use super::told::Told;

/// The envelope of a response that others may follow.
const PART: Envelope = Envelope::Stream { last: false };

/// A response that is encoded on another thread.
type Writing = BoxFuture<'static, Result<Result<Framed, Status>, CodecError>>;

/// The messages for one request of a decoupled model: one for each response, and one for the end if
/// requested.
pub(super) struct Streamed {
    told: Told,
    writer: Arc<ResponseWriter>,
    /// Whether the end is sent as a separate message.
    end: bool,
    /// Whether a failed execution ends the whole stream.
    strict: bool,
    /// The request until it is accepted.
    asked: Option<BoxFuture<'static, Result<Answers, Error>>>,
    /// `None` before the request is accepted, and after the last response.
    answers: Option<Answers>,
    /// Small messages that are sent together.
    together: Framed,
    writing: Option<Writing>,
    /// The message that follows these.
    behind: Option<Result<Framed, Status>>,
    traced: Option<(Arc<dyn TraceEvents>, Arc<Model>)>,
    /// Counts the request in its stream, with its memory.
    _counted: Option<(InProgress, Option<MemoryPermit>)>,
}

impl Streamed {
    pub(super) fn new(
        (call, strict): (Arc<Call>, bool),
        told: Told,
        end: bool,
        writer: ResponseWriter,
        (model, request): (Arc<Model>, InferRequest),
    ) -> Self {
        let traced = request.traced.clone();
        let traced = traced.map(|trace| (trace, Arc::clone(&model)));
        let asked = async move { call.app_state.answers(&model, request).await };
        Self {
            told,
            together: Framed::new(writer.empty_permit()),
            writer: Arc::new(writer),
            end,
            strict,
            asked: Some(asked.boxed()),
            answers: None,
            writing: None,
            behind: None,
            traced,
            _counted: None,
        }
    }

    /// Counts the request in its stream until its last response is sent.
    pub(super) fn count_in(&mut self, in_progress: InProgress, reserved: Option<MemoryPermit>) {
        self._counted = Some((in_progress, reserved));
    }

    /// Encodes a response, now or on another thread.
    fn tell(&mut self, answer: Result<Response, SchedulerError>) {
        let response = match answer {
            Ok(response) => response,
            Err(error) => {
                let over = self.answers.as_ref().is_none_or(Answers::are_over);
                self.behind = Some(self.broken(error.into(), over));
                return;
            }
        };
        if let Some((trace, model)) = &self.traced {
            trace.answered(model.spec(), &response);
            trace.now("GRPC_SEND_START");
            trace.now("GRPC_SEND_END");
        }
        let weight = self.writer.weight(&response);
        if weight > 0 {
            let writer = Arc::clone(&self.writer);
            let write = by_weight(weight, move || written(&writer, response, PART));
            self.writing = Some(write.boxed());
            return;
        }
        self.behind = match self.together.push(&self.writer, response, PART) {
            Ok(pushed) => pushed.err().map(Err),
            Err(error) => Some(self.broken(error.into(), true)),
        };
    }

    fn broken(&mut self, error: Error, last: bool) -> Result<Framed, Status> {
        if last || self.strict {
            self.answers = None;
        }
        match self.strict {
            true => Err(GrpcError::from(error).into()),
            false => self.told.broken(&error, last),
        }
    }
}

impl Drop for Streamed {
    fn drop(&mut self) {
        if let Some((trace, _)) = &self.traced {
            trace.now("REQUEST_END");
        }
    }
}

impl Stream for Streamed {
    type Item = Result<Framed, Status>;

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Framed, Status>>> {
        if let Some(asked) = &mut self.asked {
            let answers = ready!(asked.poll_unpin(context));
            self.asked = None;
            match answers {
                Ok(answers) => self.answers = Some(answers),
                Err(error) => return Poll::Ready(Some(self.told.failed(&error))),
            }
        }
        loop {
            if self.together.is_full() {
                break;
            }
            if let Some(behind) = self.behind.take() {
                if !self.together.is_empty() {
                    self.behind = Some(behind);
                    break;
                }
                return Poll::Ready(Some(behind));
            }
            if let Some(writing) = &mut self.writing {
                let Poll::Ready(written) = writing.poll_unpin(context) else {
                    break;
                };
                self.writing = None;
                let told = written.unwrap_or_else(|error| self.broken(error.into(), true));
                self.behind = Some(told);
                continue;
            }
            match self
                .answers
                .as_mut()
                .map(|answers| answers.poll_next(context))
            {
                Some(Poll::Ready(Some(answer))) => self.tell(answer),
                Some(Poll::Ready(None)) => {
                    self.answers = None;
                    self.behind = self.end.then(|| self.told.end());
                }
                Some(Poll::Pending) => break,
                None if self.together.is_empty() => return Poll::Ready(None),
                None => break,
            }
        }
        match self.together.is_empty() {
            true => Poll::Pending,
            false => Poll::Ready(Some(Ok(self.together.take()))),
        }
    }
}
