use std::time::Duration;

use crate::server::min_rate::Progress;
use crate::{BodyError, MinRate};

/// How long a body may keep a stopping server waiting, in total and for its next chunk.
const STOP_TIMEOUT: Duration = Duration::from_secs(2);

/// The remaining time of a body: an initial amount, plus an amount for each received byte.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyPace {
    rule: MinRate,
    progress: Progress,
    stopping: bool,
}

impl BodyPace {
    pub(crate) fn new(rule: MinRate) -> Self {
        Self {
            rule,
            progress: Progress::default(),
            stopping: false,
        }
    }

    /// Returns how long to wait for the next chunk.
    pub(crate) fn wait(&self) -> Duration {
        self.rule.wait(&self.progress)
    }

    /// Records received bytes (or none) after a wait.
    pub(crate) fn receive(&mut self, bytes: usize, waited: Duration) {
        self.progress.advance(bytes, waited);
    }

    /// Shortens the remaining time because the server is stopping.
    pub(crate) fn shorten(&mut self) {
        let wait = self.wait();
        self.rule.pause = self.rule.pause.min(STOP_TIMEOUT);
        self.progress = Progress::default();
        self.progress
            .advance(0, self.rule.pause.saturating_sub(wait));
        self.stopping = true;
    }

    /// Returns the error after the time has run out.
    pub(crate) fn error(&self) -> BodyError {
        if self.stopping {
            BodyError::Stopping
        } else if self.rule.left(&self.progress) < self.rule.pause {
            BodyError::Slow {
                rate: self.rule.bytes_per_second,
            }
        } else {
            BodyError::Stalled {
                seconds: self.rule.pause.as_secs(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn pace() -> BodyPace {
        BodyPace::new(MinRate::new(20 * SECOND, 1000))
    }

    #[test]
    fn slow_body_has_only_the_initial_timeout() {
        let mut pace = pace();
        assert_eq!(pace.wait(), 20 * SECOND);
        assert_eq!(pace.error(), BodyError::Stalled { seconds: 20 });
        pace.receive(1, 19 * SECOND);
        assert_eq!(pace.wait(), SECOND + Duration::from_millis(1));
        assert_eq!(pace.error(), BodyError::Slow { rate: 1000 });
    }

    #[test]
    fn body_at_the_minimum_rate_has_no_total_limit() {
        let mut pace = pace();
        for _ in 0..3600 {
            pace.receive(1000, SECOND);
        }
        assert_eq!(pace.wait(), 20 * SECOND);
    }

    #[test]
    fn received_bytes_do_not_extend_the_wait_for_the_next_chunk() {
        let mut pace = pace();
        pace.receive(usize::MAX, SECOND);
        assert_eq!(pace.wait(), 20 * SECOND);
        pace.shorten();
        assert_eq!(pace.wait(), STOP_TIMEOUT);
        pace.receive(1, SECOND);
        assert!(pace.wait() < STOP_TIMEOUT);
        pace.receive(2000, SECOND);
        assert_eq!(pace.wait(), STOP_TIMEOUT);
        assert_eq!(pace.error(), BodyError::Stopping);
    }
}
