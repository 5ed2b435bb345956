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

/// Requests that are executed together.
#[derive(Debug)]
pub(super) struct Batch {
    /// The how-manieth batch of its queue this is, for models that preserve ordering.
    pub(super) sequence: u64,
    /// Whether no instance's thread has it.
    pub(super) lent: bool,
    pub(super) waiting: Vec<Waiting>,
}
