use std::time::Duration;

use crate::MinRate;

/// How long a connection may stay in a state.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Timeouts {
    /// No stream is open.
    pub(crate) idle: Duration,
    /// The client does not read its response, or reads it too slowly.
    pub(crate) response: MinRate,
}

impl Timeouts {
    /// Returns timeouts that only connections without an open stream can exceed.
    pub(crate) fn only_idle(idle: Duration) -> Self {
        /// More than a century.
        const NEVER: Duration = Duration::from_secs(u32::MAX as u64);

        Self {
            idle,
            response: MinRate::new(NEVER, 1),
        }
    }

    /// Returns the timeouts with another idle time.
    pub(crate) fn with_idle(self, idle: Duration) -> Self {
        Self { idle, ..self }
    }

    /// Returns the timeouts with `pause` instead of their own.
    pub(crate) fn with_pause(self, pause: Duration) -> Self {
        Self {
            idle: pause,
            response: MinRate {
                pause,
                ..self.response
            },
        }
    }
}
