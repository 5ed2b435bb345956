use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::sync::{AtomicU64, Ordering};

/// Counts the batches that Triton has passed to an instance and that are not completed, regardless
/// of where they execute. Dropping it waits until all are completed.
#[derive(Debug, Default)]
pub(super) struct UnfinishedBatches(Arc<Count>);

/// Counts a batch as not completed until dropped.
#[derive(Debug)]
pub(super) struct BatchGuard(Arc<Count>);

#[derive(Debug, Default)]
struct Count {
    batches: AtomicU64,
    /// Held while a waiter checks the count, and before it is notified, so that no notification is
    /// lost.
    waiting: Mutex<()>,
    finished: Condvar,
}

impl UnfinishedBatches {
    /// Counts another batch.
    pub(super) fn enter(&self) -> BatchGuard {
        self.0.batches.fetch_add(1, Ordering::Relaxed);
        BatchGuard(Arc::clone(&self.0))
    }
}

impl Drop for UnfinishedBatches {
    fn drop(&mut self) {
        let mut waiting = self.0.lock();
        // Pairs with the subtraction in `BatchGuard::drop`.
        while self.0.batches.load(Ordering::Acquire) > 0 {
            let finished = self.0.finished.wait(waiting);
            waiting = finished.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for BatchGuard {
    fn drop(&mut self) {
        // Pairs with the load in `UnfinishedBatches::drop`.
        self.0.batches.fetch_sub(1, Ordering::Release);
        drop(self.0.lock());
        self.0.finished.notify_all();
    }
}

impl Count {
    fn lock(&self) -> MutexGuard<'_, ()> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
