use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Sleep, sleep};

use crate::call::{CancellationSink, Cancelled, ModelError, ResponseSink};
use crate::request::Response;
use crate::scheduler::SchedulerError;

/// A sink for the responses of a batch, sent one by one.
pub(crate) trait Outlet: std::fmt::Debug + Send + Sync {
    /// Records that the function is called with the batch, at a time of the clock
    /// [`now`](pytriton_backend::now).
    fn called(&self, begun: u64);

    /// Waits until a response to a request can be sent.
    ///
    /// Returns an error if the request was cancelled.
    fn poll_room(&self, request: usize, context: &mut Context<'_>) -> Poll<Result<(), Cancelled>> {
        let _ = (request, context);
        Poll::Ready(Ok(()))
    }

    /// Sends a response that is not the last. `place` is the request and the number of the
    /// response.
    ///
    /// Returns an error if the request has ended or its client is gone.
    fn part(
        &self,
        place: (usize, u32),
        answer: Result<Response, SchedulerError>,
    ) -> Result<(), Cancelled>;

    /// Ends a request after the given number of responses. An error is its last response.
    fn end(&self, place: (usize, u32), end: Result<(), SchedulerError>);

    /// Returns whether a request was cancelled.
    fn is_cancelled(&self, request: usize) -> bool;
}

/// The requests of a batch whose responses are sent while its function runs.
#[derive(Debug)]
pub(crate) struct Streamed<O> {
    outlet: O,
    requests: Vec<Mutex<Course>>,
    /// The error for all requests that have not ended, once refused.
    refused: OnceLock<SchedulerError>,
}

/// The interval at which a stream that waits for its next item polls for cancellation. The worker
/// learns of one every 20 ms.
const LOOK: Duration = Duration::from_millis(20);

/// The state of a request's responses.
#[derive(Debug, Default)]
struct Course {
    answers: u32,
    /// The timer of the next poll for cancellation.
    look: Option<Pin<Box<Sleep>>>,
    /// Whether the function knows about the cancellation. Then its end is not the end of the
    /// responses.
    given_up: bool,
    over: bool,
}

/// The sink for the responses of a queued batch, which also reports cancellation.
pub(crate) trait Streaming: ResponseSink {
    /// Records that the function is called, at a time of the clock [`now`](pytriton_backend::now).
    fn called(&self, begun: u64);
}

impl<O: Outlet> Streamed<O> {
    /// Creates the state for that many requests.
    pub(crate) fn new(outlet: O, requests: usize) -> Self {
        Self {
            outlet,
            requests: (0..requests).map(|_| Mutex::default()).collect(),
            refused: OnceLock::new(),
        }
    }

    /// Ends each request that has not ended, with its result.
    pub(crate) fn end(&self, results: impl IntoIterator<Item = Result<(), SchedulerError>>) {
        for ((request, course), result) in self.requests.iter().enumerate().zip(results) {
            self.end_request(request, lock(course), result);
        }
    }

    /// Ends all open requests with an error. A request that is sending a response is skipped: its
    /// function learns of the cancellation at the next one.
    pub(crate) fn refuse(&self, error: &SchedulerError) {
        self.refused.get_or_init(|| error.clone());
        for (request, course) in self.requests.iter().enumerate() {
            match course.try_lock() {
                Ok(course) => self.end_request(request, course, Err(error.clone())),
                Err(TryLockError::WouldBlock | TryLockError::Poisoned(_)) => {}
            }
        }
    }

    /// Returns whether a request has ended, was cancelled or is refused.
    fn is_given_up(&self, request: usize, course: &mut Course) -> bool {
        course.given_up |= !course.over && self.outlet.is_cancelled(request);
        course.over || course.given_up || self.refused.get().is_some()
    }

    fn end_request(
        &self,
        request: usize,
        mut course: MutexGuard<'_, Course>,
        end: Result<(), SchedulerError>,
    ) {
        if course.over {
            return;
        }
        course.over = true;
        let end = match (self.refused.get(), course.given_up) {
            (Some(error), _) => end.and(Err(error.clone())),
            (None, true) => end.and(Err(SchedulerError::Cancelled)),
            (None, false) => end,
        };
        self.outlet.end((request, course.answers), end);
    }
}

impl<O: Outlet> ResponseSink for Streamed<O> {
    /// Blocks while too many responses are in flight to the process that forwards them. That
    /// process does not wait for its clients.
    fn poll_send(
        &self,
        request: usize,
        answer: &mut Option<Result<Response, ModelError>>,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), Cancelled>> {
        let Some(course) = self.requests.get(request) else {
            return Poll::Ready(Err(Cancelled));
        };
        let mut course = lock(course);
        if self.is_given_up(request, &mut course) {
            return Poll::Ready(Err(Cancelled));
        }
        ready!(self.outlet.poll_room(request, context))?;
        let Some(answer) = answer.take() else {
            return Poll::Ready(Ok(()));
        };
        let place = (request, course.answers);
        course.answers = course.answers.wrapping_add(1);
        let passed_on = (self.outlet).part(place, answer.map_err(SchedulerError::from));
        course.over = passed_on.is_err();
        Poll::Ready(passed_on)
    }

    fn finish(&self, request: usize, end: Result<(), ModelError>) {
        if let Some(course) = self.requests.get(request) {
            self.end_request(request, lock(course), end.map_err(SchedulerError::from));
        }
    }

    fn is_cancelled(&self, request: usize) -> bool {
        let course = self.requests.get(request);
        course.is_none_or(|course| self.is_given_up(request, &mut lock(course)))
    }

    fn poll_cancelled(&self, request: usize, context: &mut Context<'_>) -> Poll<()> {
        let Some(course) = self.requests.get(request) else {
            return Poll::Ready(());
        };
        let mut course = lock(course);
        while !self.is_given_up(request, &mut course) {
            let look = course.look.get_or_insert_with(|| Box::pin(sleep(LOOK)));
            if look.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            course.look = None;
        }
        Poll::Ready(())
    }
}

impl<O: Outlet> Streaming for Streamed<O> {
    fn called(&self, begun: u64) {
        self.outlet.called(begun);
    }
}

impl<F: Fn(usize) -> bool + Send + Sync> Streaming for CancellationSink<F> {
    fn called(&self, _: u64) {}
}

fn lock(course: &Mutex<Course>) -> MutexGuard<'_, Course> {
    // No panic can leave this state inconsistent.
    course.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::*;

    #[derive(Debug, Default)]
    struct Log(Mutex<Vec<String>>);

    impl Outlet for Log {
        fn called(&self, begun: u64) {
            self.0.lock().unwrap().push(format!("called {begun}"));
        }

        fn part(
            &self,
            (request, sequence): (usize, u32),
            answer: Result<Response, SchedulerError>,
        ) -> Result<(), Cancelled> {
            let answer = answer.map(drop);
            let told = format!("{request}:{sequence} {answer:?}");
            self.0.lock().unwrap().push(told);
            Ok(())
        }

        fn end(&self, (request, sequence): (usize, u32), end: Result<(), SchedulerError>) {
            let told = format!("{request}:{sequence} end {end:?}");
            self.0.lock().unwrap().push(told);
        }

        fn is_cancelled(&self, request: usize) -> bool {
            request == 2
        }
    }

    #[test]
    fn each_request_has_its_answers_and_one_end() {
        let streamed = Streamed::new(Log::default(), 4);
        streamed.called(7);
        let part = |request| {
            let mut context = Context::from_waker(Waker::noop());
            let mut answer = Some(Ok(Response::default()));
            streamed.poll_send(request, &mut answer, &mut context)
        };
        let heard = [0, 1, 0, 2, 9].map(part);
        let (more, none) = (Poll::Ready(Ok(())), Poll::Ready(Err(Cancelled)));
        assert_eq!(heard, [more, more, more, none, none]);
        streamed.finish(0, Ok(()));
        assert_eq!(part(0), none);
        let cancelled = [0, 1, 2, 3].map(|request| streamed.is_cancelled(request));
        assert_eq!(cancelled, [true, false, true, false]);
        streamed.refuse(&SchedulerError::Stopping);
        streamed.end([Ok(()), Ok(()), Ok(()), Ok(())]);
        let log = streamed.outlet.0.into_inner().unwrap();
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
