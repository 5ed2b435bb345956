use std::sync::Arc;
use std::task::{Context, Poll, ready};

use parking_lot::Mutex;
use pytriton_core::call::{Cancelled, ModelError, ResponseSink};
use pytriton_core::request::{Response, SmallVec};
use pytriton_core::response_channel::{ResponseSender, SchedulerError};
use pytriton_core::statistics::{MOST_ANSWERS, nanoseconds};
use tokio::time::Instant;

use super::completion_context::CompletionContext;
use super::message::Reply;

/// The requests of a batch whose responses are sent while its function runs.
#[derive(Debug)]
pub(super) struct Streamed {
    completion: Arc<CompletionContext>,
    requests: Vec<Mutex<Streaming>>,
}

/// A request whose responses are being sent.
#[derive(Debug)]
pub(super) struct Streaming {
    pub(super) arrived: Instant,
    pub(super) batch_size: usize,
    /// `None` after its end.
    sink: Option<ResponseSender>,
    /// When the previous response was sent, or the function was called.
    since: Instant,
    answers: u32,
    failed: bool,
    /// The result with which it ends.
    end: Result<(), SchedulerError>,
}

impl Streamed {
    pub(super) fn new(
        completion: &Arc<CompletionContext>,
        begun: Instant,
        replies: SmallVec<Reply>,
    ) -> Arc<Self> {
        let requests = replies.into_iter().map(|reply| {
            Mutex::new(Streaming {
                arrived: reply.arrived,
                batch_size: reply.batch_size,
                sink: Some(reply.sink),
                since: begun,
                answers: 0,
                failed: false,
                end: Ok(()),
            })
        });
        Arc::new(Self {
            completion: Arc::clone(completion),
            requests: requests.collect(),
        })
    }

    /// Sets the results with which the remaining requests end.
    pub(super) fn conclude(&self, results: impl Iterator<Item = Result<(), SchedulerError>>) {
        for (request, result) in self.requests.iter().zip(results) {
            let mut request = request.lock();
            let record = request.fails(&result);
            if request.sink.is_some() {
                request.failed = result.is_err();
                request.end = result;
            }
            drop(request);
            record.inspect(|record| record.record(&self.completion));
        }
    }

    /// Ends the remaining requests.
    pub(super) fn end(&self) {
        for request in &self.requests {
            let mut request = request.lock();
            let end = request.end.clone();
            request.end(end);
        }
    }

    /// Returns the total number of rows.
    pub(super) fn batch_size(&self) -> usize {
        let requests = self.requests.iter();
        requests.map(|request| request.lock().batch_size).sum()
    }

    /// Returns for each request when it arrived, its rows, and whether it succeeded.
    pub(super) fn conclusions(&self) -> Vec<(Instant, usize, bool)> {
        let requests = self.requests.iter();
        let conclusions = requests.map(|request| {
            let request = request.lock();
            (request.arrived, request.batch_size, !request.failed)
        });
        conclusions.collect()
    }
}

impl ResponseSink for Streamed {
    fn poll_send(
        &self,
        request: usize,
        answer: &mut Option<Result<Response, ModelError>>,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), Cancelled>> {
        let Some(request) = self.requests.get(request) else {
            return Poll::Ready(Err(Cancelled));
        };
        let mut request = request.lock();
        let Some(sink) = &request.sink else {
            return Poll::Ready(Err(Cancelled));
        };
        ready!(sink.poll_ready(context))?;
        let Some(answer) = answer.take() else {
            return Poll::Ready(Ok(()));
        };
        let was_ok = answer.is_ok();
        let given = match self.completion.reserved(answer) {
            Err(error) if was_ok => Err(error),
            counted => {
                let succeeded = counted.is_ok();
                sink.send(counted);
                Ok(succeeded)
            }
        };
        let record = request.note(given == Ok(true));
        let given = given.map(drop).map_err(|error| {
            request.end(Err(error));
            Cancelled
        });
        drop(request);
        record.inspect(|record| record.record(&self.completion));
        Poll::Ready(given)
    }

    fn finish(&self, request: usize, end: Result<(), ModelError>) {
        let Some(request) = self.requests.get(request) else {
            return;
        };
        let mut request = request.lock();
        let record = request.fails(&end);
        request.end(end.map_err(SchedulerError::from));
        drop(request);
        record.inspect(|record| record.record(&self.completion));
    }

    fn poll_cancelled(&self, request: usize, context: &mut Context<'_>) -> Poll<()> {
        let Some(request) = self.requests.get(request) else {
            return Poll::Ready(());
        };
        match &request.lock().sink {
            Some(sink) => sink.poll_closed(context),
            None => Poll::Ready(()),
        }
    }

    fn is_cancelled(&self, request: usize) -> bool {
        let Some(request) = self.requests.get(request) else {
            return true;
        };
        request
            .lock()
            .sink
            .as_ref()
            .is_none_or(ResponseSender::is_closed)
    }
}

impl Streaming {
    /// Records a response. Returns `None` beyond the number of responses with separate statistics.
    fn note(&mut self, succeeded: bool) -> Option<ResponseRecord> {
        if self.answers >= MOST_ANSWERS {
            return None;
        }
        let now = Instant::now();
        let record = ResponseRecord {
            index: self.answers,
            took: nanoseconds(now.saturating_duration_since(self.since)),
            since_arrival: nanoseconds(now.saturating_duration_since(self.arrived)),
            succeeded,
        };
        self.since = now;
        self.answers += 1;
        Some(record)
    }

    /// Records the failure with which the request ends, unless it has ended.
    fn fails(&mut self, end: &Result<(), impl Sized>) -> Option<ResponseRecord> {
        let fails = end.is_err() && self.sink.is_some();
        fails.then(|| self.note(false)).flatten()
    }

    fn end(&mut self, end: Result<(), SchedulerError>) {
        let Some(sink) = self.sink.take() else {
            return;
        };
        self.failed = end.is_err();
        match end {
            Ok(()) => sink.end(),
            Err(error) => sink.finish(Err(error)),
        }
    }
}

/// A response to count after the lock of the request is released.
struct ResponseRecord {
    index: u32,
    took: u64,
    since_arrival: u64,
    succeeded: bool,
}

impl ResponseRecord {
    fn record(&self, completion: &CompletionContext) {
        let recorder = completion.recorder();
        recorder.record_answer(self.index, self.took, self.since_arrival, self.succeeded);
    }
}
