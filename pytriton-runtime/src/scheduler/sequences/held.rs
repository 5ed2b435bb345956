//! How many requests must wait before the first batch is formed, as Triton's own tests request. Only a
//! build for these tests (`--cfg pytriton_qa`) reads the variables.

use super::live::Place;
use super::slot::Queued;
use super::table::Table;

/// The number of requests that must wait in slots and in the backlog.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Held {
    pub(super) slots: usize,
    pub(super) backlog: usize,
}

impl Held {
    pub(super) fn from_environment() -> Self {
        #[cfg(pytriton_qa)]
        {
            let number = |name| {
                let value = std::env::var(name).ok();
                value
                    .and_then(|value| value.parse().ok())
                    .unwrap_or_default()
            };
            return Self {
                slots: number("TRITONSERVER_DELAY_SCHEDULER"),
                backlog: number("TRITONSERVER_BACKLOG_DELAY_SCHEDULER"),
            };
        }
        #[cfg(not(pytriton_qa))]
        Self::default()
    }
}

impl<R: Queued> Table<R> {
    /// Whether requests wait until there are enough of them. All instances start together.
    pub(super) fn is_held(&mut self, closed: bool) -> bool {
        if self.held == Held::default() {
            return false;
        }
        let places = self.places.values();
        let backlog = places.filter(|place| matches!(place, Place::Backlog(_)));
        let backlog = backlog.count();
        let slots = self.places.len() - backlog;
        if !closed && (slots < self.held.slots || backlog < self.held.backlog) {
            return true;
        }
        self.held = Held::default();
        self.ready.extend(self.instances.keys());
        false
    }

    /// Lets all instances look again: any request may be the last that they wait for.
    pub(super) fn look_if_held(&mut self) {
        if self.held != Held::default() {
            self.ready.extend(self.instances.keys());
        }
    }
}
