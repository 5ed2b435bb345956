use std::fmt::Debug;
use std::task::{Context, Poll};

use thiserror::Error;

use crate::request::Response;

use super::ModelError;

/// Where the answers to the requests of a batch go while its function runs, each by its request's place in the batch.
pub trait Answering: Debug + Send + Sync {
    /// Takes an answer behind which others may come, as soon as there is room for it; a failure is an answer too.
    ///
    /// # Errors
    ///
    /// [`Cancelled`]: further answers need not be made.
    fn poll_part(
        &self,
        request: usize,
        answer: &mut Option<Result<Response, ModelError>>,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), Cancelled>>;

    /// Nothing more comes for a request; an error is its last answer. Only the first call counts.
    fn finish(&self, request: usize, end: Result<(), ModelError>);

    /// Whether nobody waits for the answers to a request.
    fn is_cancelled(&self, request: usize) -> bool;

    /// Waits until nobody does, where it can be heard; otherwise it is seen when it is asked again.
    fn poll_cancelled(&self, request: usize, context: &mut Context<'_>) -> Poll<()> {
        let _ = context;
        match self.is_cancelled(request) {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    }
}

/// Nobody waits for the answers any longer: the client has gone, its time is over, or the server ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("nobody waits for the answers any longer")]
pub struct Cancelled;
