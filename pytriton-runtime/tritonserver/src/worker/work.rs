use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// The number of running batches, and the time of the last change.
#[derive(Debug)]
pub(super) struct Activity(Mutex<State>);

#[derive(Debug)]
struct State {
    refused: bool,
    batches: usize,
    changed: Instant,
}

/// Counts a running batch until dropped.
#[derive(Debug)]
pub(super) struct RunningBatch(Arc<Activity>);

impl Activity {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self(Mutex::new(State {
            refused: false,
            batches: 0,
            changed: Instant::now(),
        })))
    }

    /// Counts a batch. Returns `None` if it must be refused.
    pub(super) fn begin(self: &Arc<Self>) -> Option<RunningBatch> {
        let mut state = self.0.lock();
        state.changed = Instant::now();
        if state.refused {
            return None;
        }
        state.batches += 1;
        Some(RunningBatch(Arc::clone(self)))
    }

    /// Refuses batches from now on. Running ones complete.
    pub(super) fn refuse(&self) {
        self.0.lock().refused = true;
    }

    /// Returns whether batches are refused.
    pub(super) fn is_refused(&self) -> bool {
        self.0.lock().refused
    }

    /// Returns whether no batch has run for `time` since `since`.
    pub(super) fn is_idle(&self, since: Instant, time: Duration) -> bool {
        let state = self.0.lock();
        state.batches == 0 && state.changed.max(since).elapsed() > time
    }
}

impl Drop for RunningBatch {
    fn drop(&mut self) {
        let mut state = self.0.0.lock();
        state.batches = state.batches.saturating_sub(1);
        state.changed = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worker_is_idle_some_time_after_the_last_batch() {
        let work = Activity::new();
        let since = Instant::now();
        let time = Duration::from_millis(20);
        let working = work.begin().unwrap();
        std::thread::sleep(2 * time);
        assert!(!work.is_idle(since, time));
        drop(working);
        assert!(!work.is_idle(since, time));
        std::thread::sleep(2 * time);
        assert!(work.is_idle(since, time));
        work.refuse();
        assert!(work.begin().is_none());
    }
}
