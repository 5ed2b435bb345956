use std::fmt::Debug;
use std::task::{Context, Poll};

use thiserror::Error;

use crate::request::Response;

use super::ModelError;

/// Receives the responses of a batch while its function runs. A request is identified by its index
/// in the batch.
pub trait ResponseSink: Debug + Send + Sync {
    /// Records when the function is called, at a time of the caller's clock. The default
    /// implementation does nothing.
    fn called(&self, begun: u64) {
        let _ = begun;
    }

    /// Takes a response, or an error, as soon as there is space for it. More responses may follow.
    ///
    /// # Errors
    ///
    /// Returns [`Cancelled`] if no further responses are needed.
    fn poll_send(
        &self,
        request: usize,
        answer: &mut Option<Result<Response, ModelError>>,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), Cancelled>>;

    /// Ends a request. An error is its last response. Only the first call has an effect.
    fn finish(&self, request: usize, end: Result<(), ModelError>);

    /// Returns whether the request is cancelled.
    fn is_cancelled(&self, request: usize) -> bool;

    /// Waits until the request is cancelled. The default implementation only checks once, without
    /// registering a waker.
    fn poll_cancelled(&self, request: usize, context: &mut Context<'_>) -> Poll<()> {
        let _ = context;
        match self.is_cancelled(request) {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    }
}

/// The request is cancelled: the client disconnected, the request timed out, or the server is
/// shutting down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the request has been cancelled")]
pub struct Cancelled;
