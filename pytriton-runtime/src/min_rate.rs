//! How slowly a client may send a body, or take a response: one rule for both directions and both
//! protocols.

use std::time::Duration;

use crate::Limits;

/// A client may let the server wait for as long as [`pause`](Self::pause), and one second more for
/// each [`bytes_per_second`](Self::bytes_per_second) that it sends or takes. No single wait may be
/// longer than the pause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MinRate {
    pub(crate) pause: Duration,
    pub(crate) bytes_per_second: u32,
}

/// What a client has moved so far, and how long the server has waited for that.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Progress {
    bytes: u64,
    waited: Duration,
}

impl MinRate {
    /// The rule of these limits.
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            pause: limits.body_timeout,
            bytes_per_second: limits.min_body_rate.max(1),
        }
    }

    /// How long the next wait may take.
    pub(crate) fn wait(&self, progress: &Progress) -> Duration {
        self.left(progress).min(self.pause)
    }

    /// How long the client may let the server wait in all.
    pub(crate) fn left(&self, progress: &Progress) -> Duration {
        let rate = u64::from(self.bytes_per_second.max(1));
        let earned = Duration::from_micros(progress.bytes.saturating_mul(1_000_000) / rate);
        self.pause
            .saturating_add(earned)
            .saturating_sub(progress.waited)
    }
}

impl Progress {
    /// The client has moved some bytes, or none yet, after so long a wait.
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
    fn a_wait_may_take_what_the_bytes_have_earned_and_never_longer_than_the_pause() {
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
