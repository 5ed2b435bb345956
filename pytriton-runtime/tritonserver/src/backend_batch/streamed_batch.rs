use std::pin::Pin;
use std::sync::OnceLock;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use pytriton_core::call::{CancellationSink, Cancelled, ModelError, ResponseSink};
use pytriton_core::request::Response;
use pytriton_core::response_channel::SchedulerError;
use tokio::time::{Sleep, sleep};

/// A sink for the responses of a batch, sent one by one.
pub(crate) trait BatchSink: std::fmt::Debug + Send + Sync {
    /// Records that the function is called with the batch, at a time of the clock
    /// [`now`](pytriton_backend::now).
    fn called(&self, begun: u64);

    /// Waits until a response to a request can be sent.
    ///
    /// Returns an error if the request was cancelled.
    fn poll_ready(&self, request: usize, context: &mut Context<'_>) -> Poll<Result<(), Cancelled>> {
        let _ = (request, context);
        Poll::Ready(Ok(()))
    }

    /// Sends a response that is not the last. `position` is the request and the number of the
    /// response.
    ///
    /// Returns an error if the request has ended or its client is gone.
    fn send(
        &self,
        position: (usize, u32),
        answer: Result<Response, SchedulerError>,
    ) -> Result<(), Cancelled>;

    /// Ends a request after the given number of responses. An error is its last response.
    fn end(&self, position: (usize, u32), end: Result<(), SchedulerError>);

    /// Returns whether a request was cancelled.
    fn is_cancelled(&self, request: usize) -> bool;
}

/// The requests of a batch whose responses are sent while its function runs.
#[derive(Debug)]
pub(crate) struct StreamedBatch<O> {
    sink: O,
    requests: Vec<Mutex<RequestState>>,
    /// The error for all requests that have not ended, once refused.
    refused: OnceLock<SchedulerError>,
}

/// The interval at which a stream that waits for its next item polls for cancellation. The worker
/// learns of one every 20 ms.
const CANCELLATION_POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The state of a request's responses.
#[derive(Debug, Default)]
struct RequestState {
    responses: u32,
    /// The timer of the next poll for cancellation.
    poll_timer: Option<Pin<Box<Sleep>>>,
    /// Whether the function knows about the cancellation. Then its end is not the end of the
    /// responses.
    cancelled: bool,
    ended: bool,
}

/// The sink for the responses of a queued batch, which also reports cancellation.
pub(crate) trait BatchResponseSink: ResponseSink {
    /// Records that the function is called, at a time of the clock [`now`](pytriton_backend::now).
    fn called(&self, begun: u64);
}

impl<O: BatchSink> StreamedBatch<O> {
    /// Creates the state for that many requests.
    pub(crate) fn new(sink: O, requests: usize) -> Self {
        Self {
            sink,
            requests: (0..requests).map(|_| Mutex::default()).collect(),
            refused: OnceLock::new(),
        }
    }

    /// Ends each request that has not ended, with its result.
    pub(crate) fn end(&self, results: impl IntoIterator<Item = Result<(), SchedulerError>>) {
        for ((request, state), result) in self.requests.iter().enumerate().zip(results) {
            self.end_request(request, state.lock(), result);
        }
    }

    /// Ends all open requests with an error. A request that is sending a response is skipped: its
    /// function learns of the cancellation at the next one.
    pub(crate) fn refuse(&self, error: &SchedulerError) {
        error.status().assert_belongs_to(self.requests.len());
        self.refused.get_or_init(|| error.clone());
        for (request, state) in self.requests.iter().enumerate() {
            if let Some(state) = state.try_lock() {
                self.end_request(request, state, Err(error.clone()));
            }
        }
    }

    /// Returns whether a request has ended, was cancelled or is refused.
    fn is_finished(&self, request: usize, state: &mut RequestState) -> bool {
        state.cancelled |= !state.ended && self.sink.is_cancelled(request);
        state.ended || state.cancelled || self.refused.get().is_some()
    }

    fn end_request(
        &self,
        request: usize,
        mut state: MutexGuard<'_, RequestState>,
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
        self.sink.end((request, state.responses), end);
    }
}

impl<O: BatchSink> ResponseSink for StreamedBatch<O> {
    /// Blocks while too many responses are in flight to the process that forwards them. That
    /// process does not wait for its clients.
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
        if self.is_finished(request, &mut state) {
            return Poll::Ready(Err(Cancelled));
        }
        ready!(self.sink.poll_ready(request, context))?;
        let Some(answer) = answer.take() else {
            return Poll::Ready(Ok(()));
        };
        let position = (request, state.responses);
        state.responses = state.responses.wrapping_add(1);
        let sent = (self.sink).send(position, answer.map_err(SchedulerError::from));
        state.ended = sent.is_err();
        Poll::Ready(sent)
    }

    fn finish(&self, request: usize, end: Result<(), ModelError>) {
        if let Some(state) = self.requests.get(request) {
            self.end_request(request, state.lock(), end.map_err(SchedulerError::from));
        }
    }

    fn is_cancelled(&self, request: usize) -> bool {
        let state = self.requests.get(request);
        state.is_none_or(|state| self.is_finished(request, &mut state.lock()))
    }

    fn poll_cancelled(&self, request: usize, context: &mut Context<'_>) -> Poll<()> {
        let Some(state) = self.requests.get(request) else {
            return Poll::Ready(());
        };
        let mut state = state.lock();
        while !self.is_finished(request, &mut state) {
            let timer = state
                .poll_timer
                .get_or_insert_with(|| Box::pin(sleep(CANCELLATION_POLL_INTERVAL)));
            if timer.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            state.poll_timer = None;
        }
        Poll::Ready(())
    }
}

impl<O: BatchSink> BatchResponseSink for StreamedBatch<O> {
    fn called(&self, begun: u64) {
        self.sink.called(begun);
    }
}

impl<F: Fn(usize) -> bool + Send + Sync> BatchResponseSink for CancellationSink<F> {
    fn called(&self, _: u64) {}
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::*;

    #[derive(Debug, Default)]
    struct Log(Mutex<Vec<String>>);

    impl BatchSink for Log {
        fn called(&self, begun: u64) {
            self.0.lock().push(format!("called {begun}"));
        }

        fn send(
            &self,
            (request, sequence): (usize, u32),
            answer: Result<Response, SchedulerError>,
        ) -> Result<(), Cancelled> {
            let answer = answer.map(drop);
            let event = format!("{request}:{sequence} {answer:?}");
            self.0.lock().push(event);
            Ok(())
        }

        fn end(&self, (request, sequence): (usize, u32), end: Result<(), SchedulerError>) {
            let event = format!("{request}:{sequence} end {end:?}");
            self.0.lock().push(event);
        }

        fn is_cancelled(&self, request: usize) -> bool {
            request == 2
        }
    }

    #[test]
    fn each_request_receives_its_responses_and_one_end() {
        let streamed = StreamedBatch::new(Log::default(), 4);
        streamed.called(7);
        let send = |request| {
            let mut context = Context::from_waker(Waker::noop());
            let mut answer = Some(Ok(Response::default()));
            streamed.poll_send(request, &mut answer, &mut context)
        };
        let results = [0, 1, 0, 2, 9].map(send);
        let (more, none) = (Poll::Ready(Ok(())), Poll::Ready(Err(Cancelled)));
        assert_eq!(results, [more, more, more, none, none]);
        streamed.finish(0, Ok(()));
        assert_eq!(send(0), none);
        let cancelled = [0, 1, 2, 3].map(|request| streamed.is_cancelled(request));
        assert_eq!(cancelled, [true, false, true, false]);
        streamed.refuse(&SchedulerError::Stopping);
        streamed.end([Ok(()), Ok(()), Ok(()), Ok(())]);
        let log = streamed.sink.0.into_inner();
        let expected = [
            "called 7",
            "0:0 Ok(())",
            "1:0 Ok(())",
            "0:1 Ok(())",
            "0:2 end Ok(())",
            "1:1 end Err(Stopping)",
            "2:0 end Err(Stopping)",
            "3:0 end Err(Stopping)",
        ];
        assert_eq!(log, expected);
    }
}
