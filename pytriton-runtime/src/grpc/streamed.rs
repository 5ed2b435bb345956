use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use futures_util::stream::Stream;
use tonic::Status;

use crate::heavy::by_weight;
use crate::kserve::CodecError;
use crate::kserve::proto::{Envelope, ResponseWriter};
use crate::reception::Error;
use crate::request::{InferRequest, Response};
use crate::scheduler::SchedulerError;
use crate::serving::{Answers, Model};

use super::GrpcError;
use super::answers::{Framed, framed, written};
use super::call::Call;
use super::told::Told;

/// In which message an answer stands behind which others may come.
const PART: Envelope = Envelope::Stream { last: false };

/// An answer that is written elsewhere, which takes its time.
type Writing = BoxFuture<'static, Result<Result<Framed, Status>, CodecError>>;

/// The messages that answer one request of a decoupled model: one for each answer, and one for the end where it is asked
/// for.
pub(super) struct Streamed {
    told: Told,
    writer: Arc<ResponseWriter>,
    /// Whether the end is told in a message of its own.
    end: bool,
    /// Whether a failed execution ends the whole stream.
    strict: bool,
    /// The request, until it is taken.
    asked: Option<BoxFuture<'static, Result<Answers, Error>>>,
    /// `None` before the request is taken, and behind the last answer.
    answers: Option<Answers>,
    writing: Option<Writing>,
}

impl Streamed {
    pub(super) fn new(
        (call, strict): (Arc<Call>, bool),
        told: Told,
        end: bool,
        (model, request): (Arc<Model>, InferRequest),
    ) -> Self {
        let writer = ResponseWriter::new(model.spec(), &told.id, &request.outputs);
        let asked = async move { call.reception.answers(&model, request).await };
        Self {
            told,
            writer: Arc::new(writer),
            end,
            strict,
            asked: Some(asked.boxed()),
            answers: None,
            writing: None,
        }
    }

    /// What is told of an answer; `None` where it is written elsewhere.
    fn told(&mut self, answer: Result<Response, SchedulerError>) -> Option<Result<Framed, Status>> {
        let response = match answer {
            Ok(response) => response,
            Err(error) => {
                let over = self.answers.as_ref().is_none_or(Answers::are_over);
                return Some(self.broken(error.into(), over));
            }
        };
        let weight = self.writer.weight(&response);
        if weight == 0 {
            let written = written(&self.writer, response, PART);
            return Some(self.written(written));
        }
        let writer = Arc::clone(&self.writer);
        let write = by_weight(weight, move || written(&writer, response, PART));
        self.writing = Some(write.boxed());
        None
    }

    fn written(
        &mut self,
        written: Result<Result<Framed, Status>, CodecError>,
    ) -> Result<Framed, Status> {
        written.unwrap_or_else(|error| self.broken(error.into(), true))
    }

    fn broken(&mut self, error: Error, last: bool) -> Result<Framed, Status> {
        if last || self.strict {
            self.answers = None;
        }
        match self.strict {
            true => Err(GrpcError::from(error).into()),
            false => framed(&self.told.broken(&error, last)),
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
                Err(error) => return Poll::Ready(Some(framed(&self.told.failed(&error)))),
            }
        }
        loop {
            if let Some(writing) = &mut self.writing {
                let written = ready!(writing.poll_unpin(context));
                self.writing = None;
                return Poll::Ready(Some(self.written(written)));
            }
            let Some(answers) = &mut self.answers else {
                return Poll::Ready(None);
            };
            let Some(answer) = ready!(answers.poll_next(context)) else {
                self.answers = None;
                return Poll::Ready(self.end.then(|| framed(&self.told.end())));
            };
            if let Some(told) = self.told(answer) {
                return Poll::Ready(Some(told));
            }
        }
    }
}
