use std::task::{Context, Poll};

use parking_lot::Mutex;

use crate::call::{Cancelled, ModelError, ResponseSink};
use crate::request::Response;

/// Receives all responses to the requests of a warm-up, and keeps the first failure.
#[derive(Debug, Default)]
pub struct WarmupSink(Mutex<Option<ModelError>>);

impl WarmupSink {
    /// Returns the first failure.
    pub fn failure(&self) -> Option<ModelError> {
        let mut failure = self.0.lock();
        failure.take()
    }

    fn note(&self, error: Option<ModelError>) {
        let mut failure = self.0.lock();
        *failure = failure.take().or(error);
    }
}

impl ResponseSink for WarmupSink {
    fn poll_send(
        &self,
        _: usize,
        answer: &mut Option<Result<Response, ModelError>>,
        _: &mut Context<'_>,
    ) -> Poll<Result<(), Cancelled>> {
        self.note(answer.take().and_then(Result::err));
        Poll::Ready(Ok(()))
    }

    fn finish(&self, _: usize, end: Result<(), ModelError>) {
        self.note(end.err());
    }

    fn is_cancelled(&self, _: usize) -> bool {
        false
    }
}
