use pytriton_core::request::{Request, SmallVec};
use pytriton_core::response_channel::{ResponseReceiver, ResponseSender};
use tokio::time::Instant;

/// Identifies a request in a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ticket {
    /// The priority level.
    pub(super) level: u64,
    /// Unique within the queue.
    pub(super) number: u64,
}

/// A waiting request.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) ticket: Ticket,
    pub(super) request: Request,
    pub(super) arrived: Instant,
    /// When its queue timeout ends.
    pub(super) deadline: Option<Instant>,
    pub(super) sink: ResponseSender,
}

/// A queued request.
#[derive(Debug)]
pub(super) struct Enqueued {
    pub(super) ticket: Ticket,
    /// When it is refused if it still waits.
    pub(super) refused: Option<Instant>,
    /// Receives its responses.
    pub(super) receiver: ResponseReceiver,
}

/// The result of queueing a request that this thread may execute.
#[derive(Debug)]
pub(super) enum Pushed<P> {
    /// It waits for the thread of an instance.
    Waiting(Enqueued),
    /// It is a batch, and the caller has the permit to execute it.
    Taken {
        /// The permit.
        permit: P,
        /// The batch.
        batch: Batch,
        /// Receives its response.
        receiver: ResponseReceiver,
    },
}

/// The part of a request that is kept while it is executed.
#[derive(Debug)]
pub(super) struct ResponseTarget {
    pub(super) arrived: Instant,
    pub(super) batch_size: usize,
    pub(super) sink: ResponseSender,
}

impl ResponseTarget {
    pub(super) fn new(arrived: Instant, batch_size: usize, sink: ResponseSender) -> Self {
        Self {
            arrived,
            batch_size,
            sink,
        }
    }
}

impl Waiting {
    /// Returns whether two requests may be in one batch. Calls of a decoupled model that groups by
    /// parameters or clients are kept separate, because each may run forever.
    pub(super) fn can_batch_with(&self, other: &Self) -> bool {
        let (first, other) = (&self.request, &other.request);
        first.stacks_with(other) && (!first.model().decoupled || first.shares_context_with(other))
    }

    /// Splits the request into the part that is executed and the part that receives its response.
    pub(super) fn split(self) -> (Request, ResponseTarget) {
        let target = ResponseTarget::new(self.arrived, self.request.batch_size(), self.sink);
        (self.request, target)
    }
}

/// Requests that are executed together.
#[derive(Debug)]
pub(super) struct Batch {
    /// The sequence number of the batch, used to preserve order.
    pub(super) sequence: u64,
    pub(super) origin: Origin,
    /// When its execution began, if it did not wait.
    pub(super) begun: Option<Instant>,
    pub(super) requests: SmallVec<Request>,
    /// One for each request.
    pub(super) targets: SmallVec<ResponseTarget>,
}

/// Where the requests of a batch waited.
#[derive(Debug, Clone)]
pub(super) enum Origin {
    /// In a dynamic queue.
    PriorityQueue {
        /// Whether the batch is executed on a connection thread.
        inline: bool,
    },
    /// In slots of an instance.
    Slots {
        /// The index of the instance.
        instance: u32,
        /// The indexes of the slots.
        slots: Vec<u32>,
    },
}

impl Origin {
    /// Returns whether the batch is executed on a connection thread.
    pub(super) fn is_inline(&self) -> bool {
        matches!(self, Self::PriorityQueue { inline: true })
    }
}
