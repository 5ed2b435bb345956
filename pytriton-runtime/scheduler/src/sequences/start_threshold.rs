//! The number of requests that must wait before the first batch is formed, for Triton's own tests.
//! Only a build for these tests (`--cfg pytriton_qa`) reads the variables.

use super::active_sequences::Place;
use super::slot::Queued;
use super::table::Table;

/// The number of requests that must wait in slots and in the backlog.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct StartThreshold {
    pub(super) slots: usize,
    pub(super) backlog: usize,
}

impl StartThreshold {
    pub(super) fn from_environment() -> Self {
        if !cfg!(pytriton_qa) {
            return Self::default();
        }
        let number = |name| {
            let value = std::env::var(name).ok();
            value
                .and_then(|value| value.parse().ok())
                .unwrap_or_default()
        };
        Self {
            slots: number("TRITONSERVER_DELAY_SCHEDULER"),
            backlog: number("TRITONSERVER_BACKLOG_DELAY_SCHEDULER"),
        }
    }
}

impl<R: Queued> Table<R> {
    /// Whether requests wait until there are enough of them. All instances start together.
    pub(super) fn awaits_start(&mut self, closed: bool) -> bool {
        if self.start_threshold == StartThreshold::default() {
            return false;
        }
        let places = self.places.values();
        let backlog = places.filter(|place| matches!(place, Place::Backlog(_)));
        let backlog = backlog.count();
        let slots = self.places.len() - backlog;
        if !closed && (slots < self.start_threshold.slots || backlog < self.start_threshold.backlog)
        {
            return true;
        }
        self.start_threshold = StartThreshold::default();
        self.ready.extend(self.instances.keys());
        false
    }

    /// Makes all instances check again: any request may be the last one that they wait for.
    pub(super) fn recheck_start(&mut self) {
        if self.start_threshold != StartThreshold::default() {
            self.ready.extend(self.instances.keys());
        }
    }
}
