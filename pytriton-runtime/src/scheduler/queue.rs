use std::sync::Arc;

use crate::model::ModelSpec;
use crate::request::Request;
use crate::statistics::{FailureReason, Recorder};

use super::dynamic::DynamicQueue;
use super::message::{Batch, Entered, Origin, Pushed, Ticket};
use super::ordered::Ordered;
use super::sequences::SequenceQueue;
use super::{Policy, SchedulerError};

/// Where the requests of a model wait.
#[derive(Debug)]
pub(super) enum Queue {
    /// In a line, all alike.
    Dynamic(DynamicQueue),
    /// Behind the others of their sequences.
    Sequences(SequenceQueue),
}

impl Queue {
    /// The queue of a model.
    pub(super) fn of(spec: &Arc<ModelSpec>, policy: Policy) -> Self {
        let places = spec.instances.count() as usize * spec.batches_in_flight as usize;
        match &spec.sequence_batching {
            None => Self::Dynamic(DynamicQueue::new(policy, places)),
            Some(batching) => Self::Sequences(SequenceQueue::new(spec, batching, policy)),
        }
    }

    /// That of sequences.
    pub(super) fn sequences(&self) -> Option<&SequenceQueue> {
        match self {
            Self::Dynamic(_) => None,
            Self::Sequences(queue) => Some(queue),
        }
    }

    /// Where responses wait for those to earlier requests, if they leave in the order of these.
    pub(super) fn ordered(&self) -> Option<&Ordered> {
        match self {
            Self::Dynamic(queue) => queue.ordered(),
            // One batch at a time of each instance: they are in order.
            Self::Sequences(_) => None,
        }
    }

    pub(super) fn recorder(&self) -> &Recorder {
        match self {
            Self::Dynamic(queue) => queue.recorder(),
            Self::Sequences(queue) => queue.recorder(),
        }
    }

    /// Puts a request to the others.
    pub(super) fn push(&self, request: Request) -> Result<Entered, SchedulerError> {
        match self {
            Self::Dynamic(queue) => queue.push(request),
            Self::Sequences(queue) => queue.push(request),
        }
    }

    /// Enqueues a request, or returns it as a batch if it can be executed at once and `acquire`
    /// returns a permit.
    pub(super) fn push_or_take<P>(
        &self,
        request: Request,
        acquire: impl FnOnce() -> Option<P>,
    ) -> Result<Pushed<P>, SchedulerError> {
        match self {
            Self::Dynamic(queue) => queue.push_or_take(request, acquire),
            Self::Sequences(queue) => queue.push(request).map(Pushed::Waiting),
        }
    }

    /// Notes that a batch is executed; says whether requests wait for its place, and nobody has been told.
    pub(super) fn release(&self, origin: &Origin) -> bool {
        match self {
            Self::Dynamic(queue) => queue.release(origin.is_inline()),
            Self::Sequences(queue) => {
                queue.release(origin);
                false
            }
        }
    }

    /// Lets an instance look for a batch.
    pub(super) fn wake(&self) {
        if let Self::Dynamic(queue) = self {
            queue.wake();
        }
    }

    /// The next batch for a thread that serves connections, if one of at most that many bytes
    /// leaves now and `acquire` returns the permit to execute it.
    pub(super) fn try_next_batch<P>(
        &self,
        max_bytes: usize,
        acquire: impl Fn() -> Option<P>,
    ) -> Option<(P, Batch)> {
        match self {
            Self::Dynamic(queue) => queue.try_next_batch(max_bytes, acquire),
            Self::Sequences(_) => None,
        }
    }

    /// Takes a request out again; says whether it was still there.
    pub(super) fn withdraw(&self, ticket: Ticket, reason: FailureReason) -> bool {
        match self {
            Self::Dynamic(queue) => queue.withdraw(ticket, reason),
            Self::Sequences(queue) => queue.withdraw(ticket, reason),
        }
    }

    /// The next batch for an instance, when the policy lets it go; `None` when the queue is closed and empty.
    ///
    /// # Cancel safety
    ///
    /// No request is lost when the future is dropped: they are taken out in the poll that returns them.
    pub(super) async fn next_batch(&self, instance: u32) -> Option<Batch> {
        match self {
            Self::Dynamic(queue) => queue.next_batch().await,
            Self::Sequences(queue) => queue.next_batch(instance).await,
        }
    }

    /// The next batch for a thread that needs a permit to execute it; always `None` for sequences.
    ///
    /// # Cancel safety
    ///
    /// As [`next_batch`](Self::next_batch).
    pub(super) async fn next_permitted<P>(
        &self,
        acquire: impl Fn() -> Option<P>,
    ) -> Option<(P, Batch)> {
        match self {
            Self::Dynamic(queue) => queue.next_permitted(acquire).await,
            Self::Sequences(_) => None,
        }
    }

    /// Refuses all further requests; those that wait go without further delay.
    pub(super) fn close(&self) {
        match self {
            Self::Dynamic(queue) => queue.close(),
            Self::Sequences(queue) => queue.close(),
        }
    }

    /// Whether further requests are refused.
    pub(super) fn closed(&self) -> bool {
        match self {
            Self::Dynamic(queue) => queue.closed(),
            Self::Sequences(queue) => queue.closed(),
        }
    }

    /// Answers requests with an error, those that wait and those that come; `None` takes them again.
    pub(super) fn refuse(&self, error: Option<SchedulerError>) {
        match self {
            Self::Dynamic(queue) => queue.refuse(error),
            Self::Sequences(queue) => queue.refuse(error),
        }
    }

    /// How many requests wait.
    pub(super) fn pending(&self) -> u64 {
        match self {
            Self::Dynamic(queue) => queue.pending(),
            Self::Sequences(queue) => queue.pending(),
        }
    }
}
