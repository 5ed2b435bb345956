use std::sync::Arc;

use tokio::time::Instant;

use crate::request::{Few, Request, Response};

use super::SchedulerError;
use super::sink::{Answers, ReplySink};

/// What a request becomes.
pub(crate) type Outcome = Result<Response, SchedulerError>;

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

/// A request that has come in.
#[derive(Debug)]
pub(super) struct Entered {
    pub(super) ticket: Ticket,
    /// When it is to be refused if it still waits.
    pub(super) refused: Option<Instant>,
    /// Where its answers come.
    pub(super) answers: Answers,
}

/// What became of a request that its own thread may execute.
#[derive(Debug)]
pub(super) enum Pushed<P> {
    /// It waits for an instance's thread.
    Waiting(Entered),
    /// It is a batch, and the caller has the permit to execute it.
    Taken {
        /// The permit.
        permit: P,
        /// The batch.
        batch: Batch,
        /// Where its response comes.
        answers: Answers,
    },
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

    /// Leaves what became of it with whoever waits, who does not hear it yet.
    pub(super) fn keep(self, counted: &Arc<()>) -> ReplySink {
        if let Some(outcome) = self.outcome {
            self.sink.keep(outcome, counted);
        }
        self.sink
    }
}

impl Waiting {
    /// Whether the two make one batch. Where each may be answered for ever, they do not wait for each other's calls.
    pub(super) fn goes_with(&self, other: &Self) -> bool {
        let (first, other) = (&self.request, &other.request);
        let model = first.model();
        let apart = model.decoupled && model.by_parameters;
        first.stacks_with(other) && (!apart || first.parameters() == other.parameters())
    }

    /// What is executed, and where its response goes.
    pub(super) fn part(self) -> (Request, Reply) {
        let reply = Reply::new(self.arrived, self.request.batch_size(), self.sink);
        (self.request, reply)
    }
}

/// Requests that are executed together.
#[derive(Debug)]
pub(super) struct Batch {
    /// The how-manieth batch of its line this is, for models that preserve ordering.
    pub(super) sequence: u64,
    pub(super) origin: Origin,
    /// When it begins, where it has not waited.
    pub(super) begun: Option<Instant>,
    pub(super) requests: Few<Request>,
    /// One for each request.
    pub(super) replies: Few<Reply>,
}

/// Where the requests of a batch waited.
#[derive(Debug, Clone)]
pub(super) enum Origin {
    /// In a line.
    Line {
        /// Whether a thread that serves connections executes them.
        inline: bool,
    },
    /// In slots of an instance.
    Slots {
        /// Which instance.
        instance: u32,
        /// Which slots.
        slots: Vec<u32>,
    },
}

impl Origin {
    /// Whether a thread that serves connections executes them.
    pub(super) fn is_inline(&self) -> bool {
        matches!(self, Self::Line { inline: true })
    }
}
