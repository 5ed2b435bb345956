use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use pytriton_core::memory_budget::{MIN_TRACKED_BYTES, MemoryBudget, MemoryPermit};
use pytriton_core::model::ModelSpec;
use pytriton_core::response_channel::MAX_UNRESERVED_BYTES;
use tokio::time::{Sleep, sleep};

/// The maximum number of concurrent requests of a stream with exactly one response each.
const MAX_UNARY: usize = 16;

/// The maximum number of concurrent requests of a stream with any number of responses.
const MAX_STREAMED: usize = 1024;

/// The number of requests with any number of responses that are read without a reservation.
const MAX_UNRESERVED: usize = 16;

/// The maximum memory of a waiting request that nothing else counts: a message below the smallest
/// size that is counted, one response below that size, and the state of the request.
const REQUEST_BYTES: usize = MIN_TRACKED_BYTES + MAX_UNRESERVED_BYTES + 2048;

/// How often a reservation that was refused is tried again. Memory that other clients free wakes no
/// stream.
const RETRY_INTERVAL: Duration = Duration::from_millis(20);

/// Counts the requests of a stream in progress, which determines whether another one is read.
///
/// A request of a sequence may wait for a slot that only a later message of the same stream frees.
/// While such a request is in progress, the stream is read even if other responses wait behind it.
/// Each of those requests has reserved its memory, and the queues of the models limit their number.
#[derive(Debug)]
pub(super) struct StreamLoad {
    budget: Arc<MemoryBudget>,
    sequences: Arc<AtomicUsize>,
    unary: Arc<AtomicUsize>,
    streamed: Arc<AtomicUsize>,
    /// The reservation of the next request, if it exceeds the usual number.
    reserved: Option<MemoryPermit>,
    /// When the reservation is tried again, if it was refused.
    retry: Option<Pin<Box<Sleep>>>,
}

/// Counts a request until it is dropped.
#[derive(Debug)]
pub(super) struct InProgress(Arc<AtomicUsize>);

impl StreamLoad {
    pub(super) fn new(budget: &Arc<MemoryBudget>) -> Self {
        Self {
            budget: Arc::clone(budget),
            sequences: Arc::default(),
            unary: Arc::default(),
            streamed: Arc::default(),
            reserved: None,
            retry: None,
        }
    }

    /// Returns whether no further request may be read. `unary` requests wait for their only
    /// response, in order, and `streamed` ones have any number of responses.
    pub(super) fn is_full(&mut self, unary: usize, streamed: usize) -> bool {
        if unary < MAX_UNARY && streamed < MAX_UNRESERVED {
            self.reserved = None;
            self.retry = None;
            return false;
        }
        let exceeds = unary >= MAX_UNARY || streamed >= MAX_STREAMED;
        if exceeds && !self.may_exceed() {
            self.reserved = None;
            self.retry = None;
            return true;
        }
        if self.reserved.is_none() {
            // Even the smallest request needs a reservation, because their number is not limited.
            let mut permit = self.budget.exact_permit();
            self.reserved = permit.grow(REQUEST_BYTES).ok().map(|()| permit);
        }
        match self.reserved {
            Some(_) => self.retry = None,
            None => {
                self.retry
                    .get_or_insert_with(|| Box::pin(sleep(RETRY_INTERVAL)));
            }
        }
        self.reserved.is_none()
    }

    /// Ready when a reservation that was refused should be tried again.
    pub(super) fn poll_retry(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let Some(retry) = &mut self.retry else {
            return Poll::Pending;
        };
        ready!(retry.as_mut().poll(context));
        self.retry = None;
        Poll::Ready(())
    }

    /// Returns whether more requests may be read because some of them may wait for later ones.
    fn may_exceed(&self) -> bool {
        let count = |count: &AtomicUsize| count.load(Ordering::Acquire);
        count(&self.sequences) > 0
            && count(&self.unary) < MAX_UNARY
            && count(&self.streamed) < MAX_STREAMED
    }

    /// Counts a request. Returns the memory reserved for it, which must be held until its last
    /// response is sent.
    pub(super) fn enter(
        &mut self,
        model: Option<&ModelSpec>,
    ) -> (InProgress, Option<MemoryPermit>) {
        let counter = match model {
            Some(model) if model.sequence_batching().is_some() => &self.sequences,
            Some(model) if model.decoupled => &self.streamed,
            _ => &self.unary,
        };
        counter.fetch_add(1, Ordering::AcqRel);
        (InProgress(Arc::clone(counter)), self.reserved.take())
    }
}

impl Drop for InProgress {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use pytriton_core::registry::{ModelDeclaration, ModelOptions, SequenceScheduling};

    use crate::testing::IDENTITY;

    use super::*;

    #[tokio::test]
    async fn requests_behind_a_sequence_are_read_within_the_memory_limit() {
        let plain = IDENTITY.spec().unwrap();
        let sequences = ModelDeclaration {
            options: ModelOptions {
                sequence_batching: Some(SequenceScheduling::Direct),
                ..IDENTITY.options
            },
            ..IDENTITY
        };
        let sequences = sequences.spec().unwrap();
        let budget = MemoryBudget::new(100 * REQUEST_BYTES);
        let mut load = StreamLoad::new(&budget);
        // Completed requests whose responses have not been sent.
        assert!(!load.is_full(MAX_UNARY - 1, 0));
        assert!(load.is_full(MAX_UNARY, 0));
        let waiting = load.enter(Some(&sequences));
        let mut others = Vec::new();
        let mut read = 1;
        while !load.is_full(read, 0) {
            assert!(read < 1000, "nothing bounds the requests that are read");
            others.push(load.enter(Some(&sequences)));
            read += 1;
        }
        assert_eq!(read, MAX_UNARY + 100);
        assert_eq!(budget.reserved(), 100 * REQUEST_BYTES);
        others.truncate(50);
        assert!(!load.is_full(51, 0));
        // The limit still applies to requests that do not wait for others.
        let plain: Vec<_> = (0..MAX_UNARY).map(|_| load.enter(Some(&plain))).collect();
        assert!(load.is_full(67, 0));
        drop(plain);
        assert!(!load.is_full(67, 0));
        drop(waiting);
        drop(others);
        assert!(load.is_full(67, 0));
        assert!(!load.is_full(0, MAX_STREAMED - 1) && load.is_full(0, MAX_STREAMED));
        drop(load);
        assert_eq!(budget.reserved(), 0);
    }

    #[tokio::test]
    async fn requests_with_any_number_of_responses_are_read_within_the_memory_limit() {
        let decoupled = ModelDeclaration {
            decoupled: true,
            ..IDENTITY
        };
        let decoupled = decoupled.spec().unwrap();
        let budget = MemoryBudget::new(100 * REQUEST_BYTES);
        let mut load = StreamLoad::new(&budget);
        let mut waiting = Vec::new();
        while !load.is_full(0, waiting.len()) {
            assert!(
                waiting.len() < 1000,
                "nothing bounds the requests that are read"
            );
            waiting.push(load.enter(Some(&decoupled)));
        }
        assert_eq!(waiting.len(), MAX_UNRESERVED + 100);
        assert_eq!(budget.reserved(), 100 * REQUEST_BYTES);
        // Another one is read when a previous one has ended.
        waiting.pop();
        assert!(!load.is_full(0, waiting.len()));
        // The reservation for it is released if it is not needed any more.
        waiting.clear();
        assert!(!load.is_full(0, 0));
        assert_eq!(budget.reserved(), 0);
    }
}
