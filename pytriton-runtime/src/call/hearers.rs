use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use crate::request::{Few, Response};

use super::open::Open;
use super::{Answering, Cancelled, ModelError};

/// Those who hear the answers of one call.
#[derive(Debug, Clone)]
pub(super) struct Hearers {
    pub(super) answering: Arc<dyn Answering>,
    /// The places of the call's requests in the batch.
    pub(super) places: Arc<[usize]>,
}

/// Where the answers of one call go.
#[derive(Debug, Clone)]
pub(super) struct Destination {
    pub(super) hearers: Hearers,
    /// Who may answer still.
    pub(super) open: Arc<Open>,
}

impl Destination {
    /// Waits until nobody may answer any longer, or nobody hears it.
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
    /// The one of that index alone.
    pub(super) fn only(&self, index: usize) -> Self {
        Self {
            answering: Arc::clone(&self.answering),
            places: self.places.get(index).copied().into_iter().collect(),
        }
    }

    /// Gives each its answer, once there is room for it.
    pub(super) async fn give(&self, answers: Few<Response>) -> Result<(), Cancelled> {
        let mut heard = Err(Cancelled);
        for (answer, &place) in answers.into_iter().zip(self.places.iter()) {
            let mut answer = Some(Ok(answer));
            let part = poll_fn(|context| self.answering.poll_part(place, &mut answer, context));
            heard = part.await.or(heard);
        }
        heard
    }

    /// Says to each what became of its request.
    pub(super) fn end(&self, results: &[Result<Response, ModelError>]) {
        for (result, &place) in results.iter().zip(self.places.iter()) {
            let end = result.as_ref().map(|_| ()).map_err(Clone::clone);
            self.answering.finish(place, end);
        }
    }

    /// Says to each that nothing more comes.
    pub(super) fn finish(&self, end: &Result<(), ModelError>) {
        for &place in self.places.iter() {
            self.answering.finish(place, end.clone());
        }
    }

    /// Waits until all have gone, where that can be heard.
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

    /// Whether all have gone.
    pub(super) fn are_gone(&self) -> bool {
        let mut places = self.places.iter();
        places.all(|&place| self.answering.is_cancelled(place))
    }
}
