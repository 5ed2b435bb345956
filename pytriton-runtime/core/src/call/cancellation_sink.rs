use std::fmt;
use std::task::{Context, Poll};

use crate::request::Response;

use super::{Cancelled, ModelError, ResponseSink};

/// Reports cancellation for the requests of a batch whose function sends one response each. The
/// closure returns whether a request is cancelled.
pub struct CancellationSink<F>(pub F);

impl<F: Fn(usize) -> bool + Send + Sync> ResponseSink for CancellationSink<F> {
    fn poll_send(
        &self,
        _: usize,
        _: &mut Option<Result<Response, ModelError>>,
        _: &mut Context<'_>,
    ) -> Poll<Result<(), Cancelled>> {
        Poll::Ready(Err(Cancelled))
    }

    fn finish(&self, _: usize, _: Result<(), ModelError>) {}

    fn is_cancelled(&self, request: usize) -> bool {
        self.0(request)
    }
}

impl<F> fmt::Debug for CancellationSink<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CancellationSink").finish_non_exhaustive()
    }
}
