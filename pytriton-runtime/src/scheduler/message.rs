use tokio::time::Instant;

use crate::request::{Request, Response};

use super::SchedulerError;
use super::sink::ReplySink;

/// What a request becomes.
pub(super) type Outcome = Result<Response, SchedulerError>;

/// A place in a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ticket {
    /// On which of the queue's levels.
    pub(super) level: usize,
    /// Tells it from all others of its queue.
    pub(super) number: u64,
}

/// A request that waits.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) ticket: Ticket,
    pub(super) request: Request,
    pub(super) arrived: Instant,
    /// Until when it may wait.
    pub(super) deadline: Option<Instant>,
    pub(super) sink: ReplySink,
}

/// What is left of a waiting request while it is executed.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) arrived: Instant,
    pub(super) batch_size: usize,
    pub(super) sink: ReplySink,
    /// What became of it, once that is so.
    pub(super) outcome: Option<Outcome>,
}

impl Reply {
    pub(super) fn new(arrived: Instant, batch_size: usize, sink: ReplySink) -> Self {
        Self {
            arrived,
            batch_size,
            sink,
            outcome: None,
        }
    }

    /// Sends what became of it.
    pub(super) fn send(self) {
        if let Some(outcome) = self.outcome {
            self.sink.finish(outcome);
        }
    }
}

impl Waiting {
    /// What is executed, and where its response goes.
    pub(super) fn part(self) -> (Request, Reply) {
        let reply = Reply::new(self.arrived, self.request.batch_size(), self.sink);
        (self.request, reply)
    }
}

/// Requests that are executed together.
#[derive(Debug)]
pub(super) struct Batch {
    /// The how-manieth batch of its queue this is, for models that preserve ordering.
    pub(super) sequence: u64,
    /// Whether no instance's thread has it.
    pub(super) lent: bool,
    pub(super) requests: Vec<Request>,
    /// One for each request.
    pub(super) replies: Vec<Reply>,
}
