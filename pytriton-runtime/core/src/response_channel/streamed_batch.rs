use std::fmt::Debug;
use std::sync::OnceLock;
use std::task::{Context, Poll, ready};

use parking_lot::{Mutex, MutexGuard};

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
            .map(|state| visit(&mut state.lock().sink))
            .collect()
    }

    /// Ends each request that has not ended, with its result.
    pub fn end(&self, results: impl IntoIterator<Item = Result<(), SchedulerError>>) {
        for (state, result) in self.requests.iter().zip(results) {
            self.end_request(state.lock(), result);
        }
    }

    /// Ends all open requests with an error. A request that is sending a response is skipped: its
    /// function learns of the cancellation at the next one.
    pub fn refuse(&self, error: &SchedulerError) {
        self.refused.get_or_init(|| error.clone());
        for state in &self.requests {
            if let Some(state) = state.try_lock() {
                self.end_request(state, Err(error.clone()));
            }
        }
    }

    /// Returns whether a request has ended, was cancelled or is refused.
    fn is_finished(&self, state: &mut RequestState<S>) -> bool {
        state.cancelled |= !state.ended && state.sink.is_cancelled();
        state.ended || state.cancelled || self.refused.get().is_some()
    }

    fn end_request(
        &self,
        mut state: MutexGuard<'_, RequestState<S>>,
        end: Result<(), SchedulerError>,
    ) {
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
        let mut state = state.lock();
        if self.is_finished(&mut state) {
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
    }

    fn finish(&self, request: usize, end: Result<(), ModelError>) {
        if let Some(state) = self.requests.get(request) {
            self.end_request(state.lock(), end.map_err(SchedulerError::from));
        }
    }

    fn is_cancelled(&self, request: usize) -> bool {
        let state = self.requests.get(request);
        state.is_none_or(|state| self.is_finished(&mut state.lock()))
    }

    fn poll_cancelled(&self, request: usize, context: &mut Context<'_>) -> Poll<()> {
        let Some(state) = self.requests.get(request) else {
            return Poll::Ready(());
        };
        let mut state = state.lock();
        while !self.is_finished(&mut state) {
            ready!(state.sink.poll_changed(context));
        }
        Poll::Ready(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::task::Waker;

    use super::*;

    #[derive(Debug)]
    struct Log {
        request: usize,
        events: Arc<Mutex<Vec<String>>>,
    }

    impl Log {
        fn note(&self, event: &str) {
            self.events.lock().push(format!("{} {event}", self.request));
        }
    }

    impl RequestSink for Log {
        fn called(&mut self, begun: u64) {
            self.note(&format!("called {begun}"));
        }

        fn send(
            &mut self,
            sent: u32,
            response: Result<Response, ModelError>,
        ) -> Result<(), Cancelled> {
            self.note(&format!("{sent} {:?}", response.map(drop)));
            Ok(())
        }

        fn end(&mut self, sent: u32, end: Result<(), SchedulerError>) {
            self.note(&format!("{sent} end {end:?}"));
        }

        fn is_cancelled(&self) -> bool {
            self.request == 2
        }

        fn poll_changed(&mut self, _: &mut Context<'_>) -> Poll<()> {
            Poll::Pending
        }
    }

    #[test]
    fn each_request_receives_its_responses_and_one_end() {
        let events = Arc::new(Mutex::default());
        let streamed = StreamedBatch::new((0..4).map(|request| Log {
            request,
            events: Arc::clone(&events),
        }));
        streamed.called(7);
        let mut context = Context::from_waker(Waker::noop());
        let mut send = |request| {
            let mut answer = Some(Ok(Response::default()));
            streamed.poll_send(request, &mut answer, &mut context)
        };
        let results = [0, 1, 0, 2, 9].map(&mut send);
        let (more, none) = (Poll::Ready(Ok(())), Poll::Ready(Err(Cancelled)));
        assert_eq!(results, [more, more, more, none, none]);
        streamed.finish(0, Ok(()));
        assert_eq!(send(0), none);
        let cancelled = [0, 1, 2, 3].map(|request| streamed.is_cancelled(request));
        assert_eq!(cancelled, [true, false, true, false]);
        let cancelled = [0, 1, 2, 9].map(|request| {
            let cancelled = streamed.poll_cancelled(request, &mut context);
            cancelled.is_ready()
        });
        assert_eq!(cancelled, [true, false, true, true]);
        streamed.refuse(&SchedulerError::Stopping);
        streamed.end([Ok(()), Ok(()), Ok(()), Ok(())]);
        let expected = [
            "0 called 7",
            "1 called 7",
            "2 called 7",
            "3 called 7",
            "0 0 Ok(())",
            "1 0 Ok(())",
            "0 1 Ok(())",
            "0 2 end Ok(())",
            "1 1 end Err(Stopping)",
            "2 0 end Err(Stopping)",
            "3 0 end Err(Stopping)",
        ];
        assert_eq!(*events.lock(), expected);
    }
}
