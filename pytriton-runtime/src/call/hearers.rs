use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use crate::request::{Few, Response};

use super::open::Open;
use super::{Answering, Cancelled, ModelError};

/// The recipients of the responses of one call.
#[derive(Debug, Clone)]
pub(super) struct Hearers {
    pub(super) answering: Arc<dyn Answering>,
    /// The indexes of the call's requests in the batch.
    pub(super) places: Arc<[usize]>,
}

/// The destination of the responses of one call.
#[derive(Debug, Clone)]
pub(super) struct Destination {
    pub(super) hearers: Hearers,
    /// The senders that may still respond.
    pub(super) open: Arc<Open>,
}

impl Destination {
    /// Waits until no sender is left or all requests are cancelled.
    pub(super) async fn closed(&self) {
        let mut closed = pin!(self.open.closed());
        poll_fn(|context| match closed.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(()),
            Poll::Pending => self.hearers.poll_gone(context),
        })
        .await;
    }
}

impl Hearers {
    /// Returns the recipient with this index.
    pub(super) fn only(&self, index: usize) -> Self {
        Self {
            answering: Arc::clone(&self.answering),
            places: self.places.get(index).copied().into_iter().collect(),
        }
    }

    /// Sends each recipient its response as soon as there is space for it.
    pub(super) async fn give(&self, answers: Few<Response>) -> Result<(), Cancelled> {
        let mut heard = Err(Cancelled);
        for (answer, &place) in answers.into_iter().zip(self.places.iter()) {
            let mut answer = Some(Ok(answer));
            let part = poll_fn(|context| self.answering.poll_part(place, &mut answer, context));
            heard = part.await.or(heard);
        }
        heard
    }

    /// Ends each request with its result.
    pub(super) fn end(&self, results: &[Result<Response, ModelError>]) {
        for (result, &place) in results.iter().zip(self.places.iter()) {
            let end = result.as_ref().map(|_| ()).map_err(Clone::clone);
            self.answering.finish(place, end);
        }
    }

    /// Ends all requests.
    pub(super) fn finish(&self, end: &Result<(), ModelError>) {
        for &place in self.places.iter() {
            self.answering.finish(place, end.clone());
        }
    }

    /// Waits until all requests are cancelled, if [`Answering`] supports that.
    pub(super) fn poll_gone(&self, context: &mut Context<'_>) -> Poll<()> {
        let places = self.places.iter();
        let waiting = places.filter(|&&place| {
            let gone = self.answering.poll_cancelled(place, context);
            gone.is_pending()
        });
        match waiting.count() {
            0 => Poll::Ready(()),
            _ => Poll::Pending,
        }
    }

    /// Returns whether all requests are cancelled.
    pub(super) fn are_gone(&self) -> bool {
        let mut places = self.places.iter();
        places.all(|&place| self.answering.is_cancelled(place))
    }
}
