use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use tokio::time::Instant;

use crate::call::{Answering, Cancelled, ModelError};
use crate::request::Response;
use crate::statistics::nanoseconds;

use super::SchedulerError;
use super::message::{Outcome, Reply};
use super::replies::Exit;
use super::sink::ReplySink;

/// The requests of a batch whose answers leave while its function runs.
#[derive(Debug)]
pub(super) struct Streamed {
    exit: Arc<Exit>,
    requests: Vec<Mutex<Streaming>>,
}

/// A request that is being answered.
#[derive(Debug)]
pub(super) struct Streaming {
    pub(super) arrived: Instant,
    pub(super) batch_size: usize,
    /// `None` behind its end.
    sink: Option<ReplySink>,
    /// The answer that waits for room, counted.
    waiting: Option<Outcome>,
    /// When the answer before was given, or the function called.
    since: Instant,
    answers: u32,
    failed: bool,
    /// With what it ends at last.
    end: Result<(), SchedulerError>,
}

impl Streamed {
    pub(super) fn new(exit: &Arc<Exit>, begun: Instant, replies: Vec<Reply>) -> Arc<Self> {
        let requests = replies.into_iter().map(|reply| {
            Mutex::new(Streaming {
                arrived: reply.arrived,
                batch_size: reply.batch_size,
                sink: Some(reply.sink),
                waiting: None,
                since: begun,
                answers: 0,
                failed: false,
                end: Ok(()),
            })
        });
        Arc::new(Self {
            exit: Arc::clone(exit),
            requests: requests.collect(),
        })
    }

    /// Notes with what those requests end that have not ended yet.
    pub(super) fn conclude(&self, results: impl Iterator<Item = Result<(), SchedulerError>>) {
        for (request, result) in self.requests.iter().zip(results) {
            let mut request = lock(request);
            if request.sink.is_some() {
                request.failed = result.is_err();
                request.end = result;
            }
        }
    }

    /// Ends them.
    pub(super) fn end(&self) {
        for request in &self.requests {
            let mut request = lock(request);
            let end = request.end.clone();
            request.end(end);
        }
    }

    /// The rows of all requests.
    pub(super) fn batch_size(&self) -> usize {
        let requests = self.requests.iter();
        requests.map(|request| lock(request).batch_size).sum()
    }

    /// When the requests came, with how many rows, and whether they were answered without a failure.
    pub(super) fn conclusions(&self) -> impl Iterator<Item = (Instant, usize, bool)> {
        self.requests.iter().map(|request| {
            let request = lock(request);
            (request.arrived, request.batch_size, !request.failed)
        })
    }
}

impl Answering for Streamed {
    fn poll_part(
        &self,
        request: usize,
        answer: &mut Option<Result<Response, ModelError>>,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), Cancelled>> {
        let Some(request) = self.requests.get(request) else {
            return Poll::Ready(Err(Cancelled));
        };
        let mut request = lock(request);
        if let Some(answer) = answer.take() {
            let whole = answer.is_ok();
            let counted = self.exit.counted(answer);
            self.exit.note_answer(&mut request, &counted);
            if whole && let Err(error) = counted {
                request.end(Err(error));
                return Poll::Ready(Err(Cancelled));
            }
            request.waiting = Some(counted);
        }
        let Streaming { sink, waiting, .. } = &mut *request;
        match sink {
            Some(sink) => sink.poll_part(waiting, context),
            None => Poll::Ready(Err(Cancelled)),
        }
    }

    fn finish(&self, request: usize, end: Result<(), ModelError>) {
        let Some(request) = self.requests.get(request) else {
            return;
        };
        lock(request).end(end.map_err(SchedulerError::from));
    }

    fn poll_cancelled(&self, request: usize, context: &mut Context<'_>) -> Poll<()> {
        let Some(request) = self.requests.get(request) else {
            return Poll::Ready(());
        };
        match &lock(request).sink {
            Some(sink) => sink.poll_unheard(context),
            None => Poll::Ready(()),
        }
    }

    fn is_cancelled(&self, request: usize) -> bool {
        let Some(request) = self.requests.get(request) else {
            return true;
        };
        lock(request)
            .sink
            .as_ref()
            .is_none_or(ReplySink::is_unheard)
    }
}

impl Streaming {
    fn end(&mut self, end: Result<(), SchedulerError>) {
        let Some(sink) = self.sink.take() else {
            return;
        };
        self.waiting = None;
        self.failed = end.is_err();
        match end {
            Ok(()) => sink.end(),
            Err(error) => sink.finish(Err(error)),
        }
    }
}

impl Exit {
    fn note_answer(&self, request: &mut Streaming, answer: &Outcome) {
        let now = Instant::now();
        let took = nanoseconds(now.saturating_duration_since(request.since));
        self.recorder()
            .record_answer(request.answers, took, answer.is_ok());
        request.since = now;
        request.answers = request.answers.saturating_add(1);
    }
}

fn lock(request: &Mutex<Streaming>) -> MutexGuard<'_, Streaming> {
    // Nothing under the lock panics half-way.
    request.lock().unwrap_or_else(PoisonError::into_inner)
}
