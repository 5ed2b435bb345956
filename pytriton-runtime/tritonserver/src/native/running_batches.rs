use parking_lot::{Condvar, Mutex};

/// Counts running batches.
#[derive(Debug, Default)]
pub(super) struct RunningBatches {
    count: Mutex<usize>,
    ended: Condvar,
}

impl RunningBatches {
    /// Increments the count.
    pub(super) fn begin(&self) {
        *self.count.lock() += 1;
    }

    /// Decrements the count.
    pub(super) fn end(&self) {
        *self.count.lock() -= 1;
        self.ended.notify_all();
    }

    /// Waits until fewer than `count` batches are running.
    pub(super) fn wait_below(&self, count: usize) {
        let mut now = self.count.lock();
        while *now >= count {
            self.ended.wait(&mut now);
        }
    }
}
