use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The batches that are being executed, and when that last changed.
#[derive(Debug)]
pub(super) struct Work(Mutex<State>);

#[derive(Debug)]
struct State {
    refused: bool,
    batches: usize,
    changed: Instant,
}

/// A batch that is being executed, as long as this lives.
#[derive(Debug)]
pub(super) struct Working(Arc<Work>);

impl Work {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self(Mutex::new(State {
            refused: false,
            batches: 0,
            changed: Instant::now(),
        })))
    }

    /// Counts a batch; `None` when it shall be refused.
    pub(super) fn begin(self: &Arc<Self>) -> Option<Working> {
        let mut state = self.lock();
        state.changed = Instant::now();
        if state.refused {
            return None;
        }
        state.batches += 1;
        Some(Working(Arc::clone(self)))
    }

    /// Refuses batches from here on; those that are being executed are answered.
    pub(super) fn refuse(&self) {
        self.lock().refused = true;
    }

    /// Whether batches are refused.
    pub(super) fn is_refused(&self) -> bool {
        self.lock().refused
    }

    /// Whether for some time after `since` no batch was executed.
    pub(super) fn quiet(&self, since: Instant, time: Duration) -> bool {
        let state = self.lock();
        state.batches == 0 && state.changed.max(since).elapsed() > time
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing under this lock panics half-way.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.batches = state.batches.saturating_sub(1);
        state.changed = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_quiet_some_time_after_the_last_batch() {
        let work = Work::new();
        let since = Instant::now();
        let time = Duration::from_millis(20);
        let working = work.begin().unwrap();
        std::thread::sleep(2 * time);
        assert!(!work.quiet(since, time));
        drop(working);
        assert!(!work.quiet(since, time));
        std::thread::sleep(2 * time);
        assert!(work.quiet(since, time));
        work.refuse();
        assert!(work.begin().is_none());
    }
}
