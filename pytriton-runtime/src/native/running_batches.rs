use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Counts running batches.
#[derive(Debug, Default)]
pub(super) struct RunningBatches {
    count: Mutex<usize>,
    ended: Condvar,
}

impl RunningBatches {
    /// Increments the count.
    pub(super) fn begin(&self) {
        *self.lock() += 1;
    }

    /// Decrements the count.
    pub(super) fn end(&self) {
        *self.lock() -= 1;
        self.ended.notify_all();
    }

    /// Waits until fewer than `count` batches are running.
    pub(super) fn wait_below(&self, count: usize) {
        let mut now = self.lock();
        while *now >= count {
            // Same as in `lock`.
            now = self.ended.wait(now).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, usize> {
        // No panic can leave this state inconsistent.
        self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
