use std::fmt::Debug;
use std::sync::OnceLock;
use std::sync::atomic::{Ordering, fence};
use std::task::{Context, Poll, ready};

use parking_lot::Mutex;

use crate::call::{Cancelled, ModelError, ResponseSink};
use crate::request::Response;

use super::SchedulerError;

/// Sends the responses to one request of a [`StreamedBatch`].
pub trait RequestSink: Debug + Send {
    /// Records when the function is called, at a time of the caller's clock.
    fn called(&mut self, begun: u64) {
        let _ = begun;
    }

    /// Waits until a response can be sent.
    ///
    /// # Errors
    ///
    /// Returns [`Cancelled`] if the request was cancelled.
    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Cancelled>> {
        let _ = context;
        Poll::Ready(Ok(()))
    }

    /// Sends a response that is not the last one, after `sent` others.
    ///
    /// # Errors
    ///
    /// Returns [`Cancelled`] if this has ended the request, or its client is gone.
    fn send(&mut self, sent: u32, response: Result<Response, ModelError>) -> Result<(), Cancelled>;

    /// Ends the request after `sent` responses. An error is its last response:
    /// [`SchedulerError::Cancelled`] if the function returned because the request was cancelled.
    fn end(&mut self, sent: u32, end: Result<(), SchedulerError>);

    /// Returns whether the request was cancelled.
    fn is_cancelled(&self) -> bool;

    /// Waits until [`is_cancelled`](Self::is_cancelled) may have changed.
    fn poll_changed(&mut self, context: &mut Context<'_>) -> Poll<()>;
}

/// The requests of a batch whose responses are sent while its function runs. Only this type records
/// which of them have ended; each [`RequestSink`] only sends.
#[derive(Debug)]
pub struct StreamedBatch<S> {
    requests: Vec<Mutex<RequestState<S>>>,
    /// The error for all requests that have not ended, once refused.
    refused: OnceLock<SchedulerError>,
}

/// A request whose responses are being sent.
#[derive(Debug)]
struct RequestState<S> {
    sink: S,
    sent: u32,
    /// Whether the function knows about the cancellation. Then its end is not the end of the
    /// responses.
    cancelled: bool,
    ended: bool,
}

impl<S: RequestSink> StreamedBatch<S> {
    /// Creates the state of the requests with these sinks.
    pub fn new(sinks: impl IntoIterator<Item = S>) -> Self {
        let requests = sinks.into_iter().map(|sink| {
            Mutex::new(RequestState {
                sink,
                sent: 0,
                cancelled: false,
                ended: false,
            })
        });
        Self {
            requests: requests.collect(),
            refused: OnceLock::new(),
        }
    }

    /// Returns the number of requests.
    pub fn len(&self) -> usize {
        self.requests.len()
    }

    /// Returns whether there are no requests.
    pub fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }

    /// Passes the sink of each request to `visit`, in order.
    pub fn each<T>(&self, mut visit: impl FnMut(&mut S) -> T) -> Vec<T> {
        let requests = self.requests.iter();
        requests
            .map(|state| self.with(state, |state| visit(&mut state.sink)))
            .collect()
    }

    /// Ends each request that has not ended, with its result.
    pub fn end(&self, results: impl IntoIterator<Item = Result<(), SchedulerError>>) {
        for (state, result) in self.requests.iter().zip(results) {
            self.with(state, |state| self.end_request(state, result));
        }
    }

    /// Ends all open requests with an error. A request that is sending a response ends when that
    /// is sent. Does not wait for it.
    pub fn refuse(&self, error: &SchedulerError) {
        self.refused.get_or_init(|| error.clone());
        for state in &self.requests {
            self.end_refused(state, error);
        }
    }

    /// Locks a request. If the batch is refused meanwhile, ends the request afterwards.
    fn with<T>(
        &self,
        state: &Mutex<RequestState<S>>,
        act: impl FnOnce(&mut RequestState<S>) -> T,
    ) -> T {
        let result = act(&mut state.lock());
        // Pairs with the fence in `end_refused`: either the error is visible here, or the unlocked
        // state is visible there.
        fence(Ordering::SeqCst);
        if let Some(error) = self.refused.get() {
            self.end_refused(state, error);
        }
        result
    }

    /// Ends a request of a refused batch, unless it is locked. Then the thread that has locked it
    /// does so, in [`with`](Self::with).
    fn end_refused(&self, state: &Mutex<RequestState<S>>, error: &SchedulerError) {
        fence(Ordering::SeqCst);
        if let Some(mut state) = state.try_lock() {
            self.end_request(&mut state, Err(error.clone()));
        }
    }

    /// Returns whether a request has ended, was cancelled or is refused.
    fn is_finished(&self, state: &mut RequestState<S>) -> bool {
        state.cancelled |= !state.ended && state.sink.is_cancelled();
        state.ended || state.cancelled || self.refused.get().is_some()
    }

    fn end_request(&self, state: &mut RequestState<S>, end: Result<(), SchedulerError>) {
        if state.ended {
            return;
        }
        state.ended = true;
        let end = match (self.refused.get(), state.cancelled) {
            (Some(error), _) => end.and(Err(error.clone())),
            (None, true) => end.and(Err(SchedulerError::Cancelled)),
            (None, false) => end,
        };
        let sent = state.sent;
        state.sink.end(sent, end);
    }
}

impl<S: RequestSink> ResponseSink for StreamedBatch<S> {
    fn called(&self, begun: u64) {
        self.each(|sink| sink.called(begun));
    }

    fn poll_send(
        &self,
        request: usize,
        answer: &mut Option<Result<Response, ModelError>>,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), Cancelled>> {
        let Some(state) = self.requests.get(request) else {
            return Poll::Ready(Err(Cancelled));
        };
        self.with(state, |state| {
            if self.is_finished(state) {
                return Poll::Ready(Err(Cancelled));
            }
            ready!(state.sink.poll_ready(context))?;
            let Some(answer) = answer.take() else {
                return Poll::Ready(Ok(()));
            };
            let number = state.sent;
            state.sent = number.wrapping_add(1);
            let sent = state.sink.send(number, answer);
            state.ended = sent.is_err();
            Poll::Ready(sent)
        })
    }

    fn finish(&self, request: usize, end: Result<(), ModelError>) {
        if let Some(state) = self.requests.get(request) {
            let end = end.map_err(SchedulerError::from);
            self.with(state, |state| self.end_request(state, end));
        }
    }

    fn is_cancelled(&self, request: usize) -> bool {
        let state = self.requests.get(request);
        state.is_none_or(|state| self.with(state, |state| self.is_finished(state)))
    }

    fn poll_cancelled(&self, request: usize, context: &mut Context<'_>) -> Poll<()> {
        let Some(state) = self.requests.get(request) else {
            return Poll::Ready(());
        };
        self.with(state, |state| {
            while !self.is_finished(state) {
                ready!(state.sink.poll_changed(context));
            }
            Poll::Ready(())
        })
    }
}

#[cfg(test)]
#[path = "streamed_batch_tests.rs"]
mod tests;
