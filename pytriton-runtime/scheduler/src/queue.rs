use std::sync::Arc;

use pytriton_core::model::ModelSpec;
use pytriton_core::request::Request;
use pytriton_core::response_channel::SchedulerError;
use pytriton_core::statistics::{FailureReason, Recorder};

use super::Policy;
use super::dynamic::DynamicQueue;
use super::message::{Batch, Enqueued, Origin, Pushed, Ticket};
use super::ordered_responses::OrderedResponses;
use super::sequences::SequenceQueue;

/// The queue of a model.
#[derive(Debug)]
pub(super) enum Queue {
    /// A queue of independent requests.
    Dynamic(DynamicQueue),
    /// A queue of sequences.
    Sequences(SequenceQueue),
}

impl Queue {
    /// Creates the queue of a model.
    pub(super) fn of(spec: &Arc<ModelSpec>, policy: Policy) -> Self {
        let places = spec.instances.count() as usize * spec.call_options.batches_in_flight as usize;
        match spec.sequence_batching() {
            None => Self::Dynamic(DynamicQueue::new(policy, places)),
            Some(batcher) => Self::Sequences(SequenceQueue::new(spec, batcher, policy)),
        }
    }

    /// Returns the queue of sequences, if it is one.
    pub(super) fn sequences(&self) -> Option<&SequenceQueue> {
        match self {
            Self::Dynamic(_) => None,
            Self::Sequences(queue) => Some(queue),
        }
    }

    /// Returns the buffer of responses that must keep the order of requests, if the model requires
    /// it.
    pub(super) fn ordered(&self) -> Option<&OrderedResponses> {
        match self {
            Self::Dynamic(queue) => queue.ordered(),
            // Each instance executes one batch at a time, so the order is kept.
            Self::Sequences(_) => None,
        }
    }

    #[inline]
    pub(super) fn recorder(&self) -> &Recorder {
        match self {
            Self::Dynamic(queue) => queue.recorder(),
            Self::Sequences(queue) => queue.recorder(),
        }
    }

    /// Adds a request.
    pub(super) fn push(&self, request: Request) -> Result<Enqueued, SchedulerError> {
        match self {
            Self::Dynamic(queue) => queue.push(request),
            Self::Sequences(queue) => queue.push(request),
        }
    }

    /// Adds a request, or returns it as a batch if it can be executed at once and `acquire` returns
    /// a permit.
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

    /// Records that a batch has been executed. Returns whether requests wait that no instance has
    /// been notified about.
    pub(super) fn release(&self, origin: &Origin) -> bool {
        match self {
            Self::Dynamic(queue) => queue.release(origin.is_inline()),
            Self::Sequences(queue) => {
                queue.release(origin);
                false
            }
        }
    }

    /// Notifies an instance to look for a batch.
    pub(super) fn wake(&self) {
        if let Self::Dynamic(queue) = self {
            queue.wake();
        }
    }

    /// Returns the next batch for a connection thread, if it leaves now, has at most `max_bytes`,
    /// and `acquire` returns a permit.
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

    /// Removes a request. Returns whether it still waited.
    pub(super) fn withdraw(&self, ticket: Ticket, reason: FailureReason) -> bool {
        match self {
            Self::Dynamic(queue) => queue.withdraw(ticket, reason),
            Self::Sequences(queue) => queue.withdraw(ticket, reason),
        }
    }

    /// Waits for the next batch of an instance. Returns `None` when the queue is closed and empty.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe. Requests are removed from the queue only in the poll that
    /// returns them.
    pub(super) async fn next_batch(&self, instance: u32) -> Option<Batch> {
        match self {
            Self::Dynamic(queue) => queue.next_batch().await,
            Self::Sequences(queue) => queue.next_batch(instance).await,
        }
    }

    /// Waits for the next batch and a permit from `acquire` to execute it. Always `None` for
    /// sequences.
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

    /// Refuses further requests. Waiting ones are executed without delay.
    pub(super) fn close(&self) {
        match self {
            Self::Dynamic(queue) => queue.close(),
            Self::Sequences(queue) => queue.close(),
        }
    }

    /// Returns whether further requests are refused.
    pub(super) fn closed(&self) -> bool {
        match self {
            Self::Dynamic(queue) => queue.closed(),
            Self::Sequences(queue) => queue.closed(),
        }
    }

    /// Refuses waiting and new requests with an error. `None` accepts requests again.
    pub(super) fn refuse(&self, error: Option<SchedulerError>) {
        match self {
            Self::Dynamic(queue) => queue.refuse(error),
            Self::Sequences(queue) => queue.refuse(error),
        }
    }

    /// Returns the number of waiting requests.
    pub(super) fn pending(&self) -> u64 {
        match self {
            Self::Dynamic(queue) => queue.pending(),
            Self::Sequences(queue) => queue.pending(),
        }
    }
}
