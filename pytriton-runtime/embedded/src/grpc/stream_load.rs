use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use pytriton_core::memory_budget::{MemoryBudget, MemoryPermit};
use pytriton_core::model::ModelSpec;

/// The maximum number of concurrent requests of a stream with exactly one response each.
const MAX_UNARY: usize = 16;

/// The maximum number of concurrent requests of a stream with any number of responses.
const MAX_STREAMED: usize = 1024;

/// The maximum memory of a waiting request, in addition to its tensors.
const REQUEST_BYTES: usize = 2048;

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
        }
    }

    /// Returns whether no further request may be read. `unary` requests wait for their only
    /// response, in order, and `streamed` ones have any number of responses.
    pub(super) fn is_full(&mut self, unary: usize, streamed: usize) -> bool {
        let count = |count: &AtomicUsize| count.load(Ordering::Acquire);
        if unary < MAX_UNARY && streamed < MAX_STREAMED {
            return false;
        }
        if count(&self.sequences) == 0
            || count(&self.unary) >= MAX_UNARY
            || count(&self.streamed) >= MAX_STREAMED
        {
            return true;
        }
        if self.reserved.is_none() {
            // Even the smallest request needs a reservation, because their number is not limited.
            let mut permit = self.budget.exact_permit();
            self.reserved = permit.grow(REQUEST_BYTES).ok().map(|()| permit);
        }
        self.reserved.is_none()
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

    #[test]
    fn requests_behind_a_sequence_are_read_within_the_memory_limit() {
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
}
