use std::time::Duration;

use crate::Limits;
use crate::min_rate::{MinRate, Progress};

use super::BodyError;

/// How long a body may keep a stopping server waiting, in total and for its next chunk.
const STOPPING: Duration = Duration::from_secs(2);

/// The remaining time of a body: an initial amount, plus an amount for each received byte.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    rule: MinRate,
    progress: Progress,
    stopping: bool,
}

impl Pace {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            rule: MinRate::new(limits),
            progress: Progress::default(),
            stopping: false,
        }
    }

    /// Returns how long to wait for the next chunk.
    pub(super) fn wait(&self) -> Duration {
        self.rule.wait(&self.progress)
    }

    /// Records received bytes (or none) after a wait.
    pub(super) fn came(&mut self, bytes: usize, waited: Duration) {
        self.progress.advance(bytes, waited);
    }

    /// Shortens the remaining time because the server is stopping.
    pub(super) fn hurry(&mut self) {
        let wait = self.wait();
        self.rule.pause = self.rule.pause.min(STOPPING);
        self.progress = Progress::default();
        self.progress
            .advance(0, self.rule.pause.saturating_sub(wait));
        self.stopping = true;
    }

    /// Returns the error after the time has run out.
    pub(super) fn error(&self) -> BodyError {
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

    fn pace() -> Pace {
        Pace::new(&Limits {
            min_body_rate: 1000,
            body_timeout: Duration::from_secs(20),
            ..Limits::default()
        })
    }

    #[test]
    fn a_body_that_drips_has_the_time_of_its_start() {
        let mut pace = pace();
        assert_eq!(pace.wait(), 20 * SECOND);
        assert_eq!(pace.error(), BodyError::Stalled { seconds: 20 });
        pace.came(1, 19 * SECOND);
        assert_eq!(pace.wait(), SECOND + Duration::from_millis(1));
        assert_eq!(pace.error(), BodyError::Slow { rate: 1000 });
    }

    #[test]
    fn a_body_that_keeps_the_rate_may_take_as_long_as_it_likes() {
        let mut pace = pace();
        for _ in 0..3600 {
            pace.came(1000, SECOND);
        }
        assert_eq!(pace.wait(), 20 * SECOND);
    }

    #[test]
    fn no_piece_is_waited_for_longer_because_much_has_come() {
        let mut pace = pace();
        pace.came(usize::MAX, SECOND);
        assert_eq!(pace.wait(), 20 * SECOND);
        pace.hurry();
        assert_eq!(pace.wait(), STOPPING);
        pace.came(1, SECOND);
        assert!(pace.wait() < STOPPING);
        pace.came(2000, SECOND);
        assert_eq!(pace.wait(), STOPPING);
        assert_eq!(pace.error(), BodyError::Stopping);
    }
}
