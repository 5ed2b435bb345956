//! The minimum rate of clients: one rule for request and response bodies, and for both protocols.

use std::time::Duration;

use crate::ConnectionLimits;

/// A client may keep the server waiting for [`pause`](Self::pause) in total, plus one second for
/// each [`bytes_per_second`](Self::bytes_per_second) bytes that it sends or reads. No single wait
/// may be longer than the pause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MinRate {
    /// The timeout of a client that sends or reads nothing.
    pub pause: Duration,
    /// The minimum average rate, at least 1.
    pub bytes_per_second: u32,
}

/// The bytes that a client has sent or read so far, and how long the server has waited for them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Progress {
    bytes: u64,
    waited: Duration,
}

impl MinRate {
    /// Creates the rule.
    pub fn new(pause: Duration, bytes_per_second: u32) -> Self {
        Self {
            pause,
            bytes_per_second: bytes_per_second.max(1),
        }
    }

    /// Returns how long the next wait may take.
    pub(crate) fn wait(&self, progress: &Progress) -> Duration {
        self.left(progress).min(self.pause)
    }

    /// Returns how long the client may keep the server waiting from now on, in total.
    pub(crate) fn left(&self, progress: &Progress) -> Duration {
        let rate = u64::from(self.bytes_per_second.max(1));
        let earned = Duration::from_micros(progress.bytes.saturating_mul(1_000_000) / rate);
        self.pause
            .saturating_add(earned)
            .saturating_sub(progress.waited)
    }
}

impl ConnectionLimits {
    /// Returns the rule for the rate of clients.
    pub fn min_rate(&self) -> MinRate {
        MinRate::new(self.body_timeout, self.min_body_rate)
    }
}

impl Progress {
    /// Records bytes that the client has moved (or none) after a wait.
    pub(crate) fn advance(&mut self, bytes: usize, waited: Duration) {
        self.bytes = self.bytes.saturating_add(bytes as u64);
        self.waited = self.waited.saturating_add(waited);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    const RULE: MinRate = MinRate {
        pause: Duration::from_secs(20),
        bytes_per_second: 1000,
    };

    fn after(steps: &[(usize, Duration)]) -> Progress {
        let mut progress = Progress::default();
        for &(bytes, waited) in steps {
            progress.advance(bytes, waited);
        }
        progress
    }

    #[test]
    fn wait_is_limited_by_received_bytes_and_the_pause() {
        let steady = vec![(1000, SECOND); 3600];
        let slow = vec![(500, SECOND); 30];
        let table: [(&[(usize, Duration)], Duration); 7] = [
            (&[], 20 * SECOND),
            (&[(1, 19 * SECOND)], SECOND + Duration::from_millis(1)),
            (&[(0, 30 * SECOND)], Duration::ZERO),
            (&steady, 20 * SECOND),
            (&slow, 5 * SECOND),
            (&[(usize::MAX, SECOND)], 20 * SECOND),
            (&[(10_000, SECOND), (0, 19 * SECOND)], 10 * SECOND),
        ];
        for (steps, expected) in table {
            assert_eq!(RULE.wait(&after(steps)), expected, "{:?}", steps.last());
        }
    }
}
