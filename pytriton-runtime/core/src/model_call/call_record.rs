use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use crate::call::Cancellation;
use crate::error::{CallError, Error};
use crate::statistics::{CallCounter, CallGraph};

use super::cancellation_wakers::CancellationWaker;
use super::inherited::Inherited;

/// The record of a running call. Dropping it counts the call as successful if the caller has
/// received a result and no error. A caller may need only the first results of a stream.
pub(super) struct CallRecord {
    model: Arc<str>,
    cancellation: Cancellation,
    waker: CancellationWaker,
    counter: Arc<CallCounter>,
    begun: Instant,
    succeeded: bool,
}

impl CallRecord {
    pub(super) fn new(inherited: &Inherited, model: &Arc<str>, graph: &CallGraph) -> Self {
        Self {
            model: Arc::clone(model),
            cancellation: inherited.cancellation.clone(),
            waker: inherited.wakers.register(),
            counter: graph.counter(&inherited.caller, model),
            begun: Instant::now(),
            succeeded: false,
        }
    }

    /// Waits until the requests of the calling function are cancelled.
    pub(super) fn poll_cancelled(&mut self, context: &mut Context<'_>) -> Poll<CallError> {
        let cancelled = self.waker.poll(&self.cancellation, context);
        cancelled.map(|()| {
            self.failed(Error::unavailable(
                "the requests of the calling function have been cancelled or completed",
            ))
        })
    }

    /// Records an error.
    pub(super) fn failed(&mut self, error: Error) -> CallError {
        self.succeeded = false;
        CallError::new(&self.model, error)
    }

    /// Records a result, or the end of a stream.
    pub(super) fn succeed(&mut self) {
        self.succeeded = true;
    }
}

impl Drop for CallRecord {
    fn drop(&mut self) {
        self.counter.record(self.begun.elapsed(), self.succeeded);
    }
}
