use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tracing::Span;

use crate::request::{Response, SmallVec};

use super::open_senders::OpenSenders;
use super::{Cancelled, ModelError, ResponseSink};

/// The recipients of the responses of one call.
#[derive(Debug, Clone)]
pub(super) struct ResponseSinks {
    pub(super) sink: Arc<dyn ResponseSink>,
    /// The indexes of the call's requests in the batch.
    pub(super) indexes: Arc<[usize]>,
}

/// The destination of the responses of one call.
#[derive(Debug, Clone)]
pub(super) struct Destination {
    pub(super) sinks: ResponseSinks,
    /// The senders that may still respond.
    pub(super) open: Arc<OpenSenders>,
}

impl Destination {
    /// Waits until no sender is left or all requests are cancelled.
    pub(super) async fn closed(&self) {
        let mut closed = pin!(self.open.closed());
        poll_fn(|context| match closed.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(()),
            Poll::Pending => self.sinks.poll_cancelled(context),
        })
        .await;
    }
}

impl ResponseSinks {
    /// Returns the recipient with this index.
    pub(super) fn only(&self, index: usize) -> Self {
        Self {
            sink: Arc::clone(&self.sink),
            indexes: self.indexes.get(index).copied().into_iter().collect(),
        }
    }

    /// Sends each recipient its response as soon as there is space for it. An error ends its
    /// request.
    ///
    /// # Errors
    ///
    /// Returns [`Cancelled`] if no request needs further responses.
    pub(super) async fn send(
        &self,
        results: SmallVec<Result<Response, ModelError>>,
        logger: &Span,
    ) -> Result<(), Cancelled> {
        let mut outcome = Err(Cancelled);
        for (result, &index) in results.into_iter().zip(self.indexes.iter()) {
            match result {
                Ok(response) => {
                    let mut response = Some(Ok(response));
                    let sent =
                        poll_fn(|context| self.sink.poll_send(index, &mut response, context));
                    outcome = sent.await.or(outcome);
                }
                Err(error) if !self.sink.is_cancelled(index) => {
                    tracing::warn!(parent: logger, %error, "response failed");
                    self.sink.finish(index, Err(error));
                }
                Err(_) => {}
            }
        }
        outcome
    }

    /// Ends each request with its result.
    pub(super) fn end(&self, results: &[Result<Response, ModelError>]) {
        for (result, &index) in results.iter().zip(self.indexes.iter()) {
            let end = result.as_ref().map(|_| ()).map_err(Clone::clone);
            self.sink.finish(index, end);
        }
    }

    /// Ends all requests.
    pub(super) fn finish(&self, end: &Result<(), ModelError>) {
        if let Err(error) = end {
            error.status().assert_belongs_to(self.indexes.len());
        }
        for &index in self.indexes.iter() {
            self.sink.finish(index, end.clone());
        }
    }

    /// Waits until all requests are cancelled, if [`ResponseSink`] supports that.
    pub(super) fn poll_cancelled(&self, context: &mut Context<'_>) -> Poll<()> {
        let indexes = self.indexes.iter();
        let waiting = indexes.filter(|&&index| {
            let cancelled = self.sink.poll_cancelled(index, context);
            cancelled.is_pending()
        });
        match waiting.count() {
            0 => Poll::Ready(()),
            _ => Poll::Pending,
        }
    }

    /// Returns whether all requests are cancelled.
    pub(super) fn are_cancelled(&self) -> bool {
        let mut indexes = self.indexes.iter();
        indexes.all(|&index| self.sink.is_cancelled(index))
    }
}
