use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use crate::call::Cancelled;
use crate::claims::Claims;
use crate::model::ModelSpec;
use crate::request::{Request, Response};
use crate::scheduler::{ReplySink, SchedulerError};

/// Who of this process awaits the answers to the requests of a batch, by their places in it.
#[derive(Debug, Default)]
pub(super) struct Claimed(Vec<Mutex<Option<ReplySink>>>);

impl Claimed {
    /// Those whose claims go with the requests.
    pub(super) fn new(spec: &ModelSpec, claims: &Claims, requests: &mut [Request]) -> Self {
        // Only OpenAI's routes ask in this way.
        if spec.openai.is_none() {
            return Self::default();
        }
        let requests = requests.iter_mut();
        Self(
            requests
                .map(|request| Mutex::new(claims.redeem(request)))
                .collect(),
        )
    }

    /// Whether anybody does: nobody else hears more of the answers than their number.
    pub(super) fn is(&self, request: usize) -> bool {
        self.with(request, |_| ()).is_some()
    }

    /// Waits until there is room for an answer.
    pub(super) fn poll_room(
        &self,
        request: usize,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), Cancelled>> {
        let room = self.with(request, |sink| sink.poll_room(context));
        room.unwrap_or(Poll::Ready(Ok(())))
    }

    /// Gives an answer behind which others may come.
    pub(super) fn part(&self, request: usize, answer: &Result<Response, SchedulerError>) {
        self.with(request, |sink| sink.part(answer.clone()));
    }

    /// Says that there are no more answers, and why, where the request has failed.
    pub(super) fn end(&self, request: usize, end: &Result<(), SchedulerError>) {
        let Some(sink) = self.0.get(request).and_then(|sink| lock(sink).take()) else {
            return;
        };
        match end {
            Ok(()) => sink.end(),
            Err(error) => sink.finish(Err(error.clone())),
        }
    }

    /// Gives each request its only answer.
    pub(super) fn finish(&self, results: &[Result<Response, SchedulerError>]) {
        for (sink, result) in self.0.iter().zip(results) {
            if let Some(sink) = lock(sink).take() {
                sink.finish(result.clone());
            }
        }
    }

    /// Whether somebody awaited the answers to a request and does no longer.
    pub(super) fn is_given_up(&self, request: usize) -> bool {
        self.with(request, ReplySink::is_unheard) == Some(true)
    }

    fn with<T>(&self, request: usize, then: impl FnOnce(&ReplySink) -> T) -> Option<T> {
        self.0
            .get(request)
            .and_then(|sink| lock(sink).as_ref().map(then))
    }
}

fn lock(sink: &Mutex<Option<ReplySink>>) -> MutexGuard<'_, Option<ReplySink>> {
    // Nothing under the lock panics half-way.
    sink.lock().unwrap_or_else(PoisonError::into_inner)
}
