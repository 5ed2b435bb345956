use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// The batches that Triton has given to an instance and that are not answered, wherever they are
/// executed. Dropping it waits until there are none.
#[derive(Debug, Default)]
pub(super) struct UnansweredBatches(Arc<Count>);

/// A batch that is not answered, as long as this lives.
#[derive(Debug)]
pub(super) struct Unanswered(Arc<Count>);

#[derive(Debug, Default)]
struct Count {
    batches: Mutex<usize>,
    answered: Condvar,
}

impl UnansweredBatches {
    /// Counts one more.
    pub(super) fn enter(&self) -> Unanswered {
        *self.0.lock() += 1;
        Unanswered(Arc::clone(&self.0))
    }
}

impl Drop for UnansweredBatches {
    fn drop(&mut self) {
        let mut batches = self.0.lock();
        while *batches > 0 {
            let answered = self.0.answered.wait(batches);
            batches = answered.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Unanswered {
    fn drop(&mut self) {
        *self.0.lock() -= 1;
        self.0.answered.notify_all();
    }
}

impl Count {
    fn lock(&self) -> MutexGuard<'_, usize> {
        // No panic can leave a number inconsistent.
        self.batches.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
