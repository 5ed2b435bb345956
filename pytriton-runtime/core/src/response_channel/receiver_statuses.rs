use std::task::{Context, Poll};

use crate::call::{Cancelled, ModelError, ResponseSink};
use crate::request::Response;

use super::ReceiverStatus;

/// Reports the cancellation of the requests of a batch whose function sends one response each.
#[derive(Debug)]
pub struct ReceiverStatuses(pub Vec<ReceiverStatus>);

impl ResponseSink for ReceiverStatuses {
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
        self.0.get(request).is_none_or(ReceiverStatus::is_dropped)
    }

    fn poll_cancelled(&self, request: usize, context: &mut Context<'_>) -> Poll<()> {
        match self.0.get(request) {
            Some(status) => status.poll_dropped(context),
            None => Poll::Ready(()),
        }
    }
}
