use std::pin::Pin;
use std::time::Duration;

use tokio::time::{Sleep, sleep};

/// The initial and the maximum interval between checks of a client that has closed its side.
const POLL_INTERVALS: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(1));

/// A client that has closed its side.
#[derive(Debug)]
pub(crate) struct HalfClosed {
    pub(crate) next_poll: Pin<Box<Sleep>>,
    pub(crate) interval: Duration,
    pub(crate) probed: bool,
    pub(crate) hangup_suspected: bool,
}

impl HalfClosed {
    pub(crate) fn new() -> Self {
        Self {
            next_poll: Box::pin(sleep(POLL_INTERVALS.0)),
            interval: POLL_INTERVALS.0,
            probed: false,
            hangup_suspected: false,
        }
    }

    pub(crate) fn back_off(&mut self) {
        self.interval = (2 * self.interval).min(POLL_INTERVALS.1);
    }
}
