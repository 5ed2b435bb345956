use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// How many batches are under way.
#[derive(Debug, Default)]
pub(super) struct Gate {
    count: Mutex<usize>,
    left: Condvar,
}

impl Gate {
    /// Counts one more.
    pub(super) fn enter(&self) {
        *self.lock() += 1;
    }

    /// Counts one less.
    pub(super) fn leave(&self) {
        *self.lock() -= 1;
        self.left.notify_all();
    }

    /// Waits until fewer than `count` are under way.
    pub(super) fn wait_below(&self, count: usize) {
        let mut now = self.lock();
        while *now >= count {
            // As in `lock`.
            now = self.left.wait(now).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, usize> {
        // Nothing under this lock panics half-way.
        self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
