use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Counts running batches.
#[derive(Debug, Default)]
pub(super) struct Gate {
    count: Mutex<usize>,
    left: Condvar,
}

impl Gate {
    /// Increments the count.
    pub(super) fn enter(&self) {
        *self.lock() += 1;
    }

    /// Decrements the count.
    pub(super) fn leave(&self) {
        *self.lock() -= 1;
        self.left.notify_all();
    }

    /// Waits until fewer than `count` batches are running.
    pub(super) fn wait_below(&self, count: usize) {
        let mut now = self.lock();
        while *now >= count {
            // Same as in `lock`.
            now = self.left.wait(now).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, usize> {
        // No panic can leave this state inconsistent.
        self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
