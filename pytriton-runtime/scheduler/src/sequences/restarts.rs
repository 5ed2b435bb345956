use std::time::Duration;

use tokio::time::Instant;

/// The minimum time between two log messages.
const PERIOD: Duration = Duration::from_secs(10);

/// Counts restarts of sequences that had not ended, with rate-limited logging.
#[derive(Debug, Default)]
pub(super) struct Restarts {
    last_logged: Option<Instant>,
    unlogged: u64,
}

impl Restarts {
    /// Records a restart. Returns the number to log now, if any.
    pub(super) fn note(&mut self, now: Instant) -> Option<u64> {
        self.unlogged += 1;
        let since = self
            .last_logged
            .map(|last_logged| now.saturating_duration_since(last_logged));
        if since.is_some_and(|since| since < PERIOD) {
            return None;
        }
        self.last_logged = Some(now);
        Some(std::mem::take(&mut self.unlogged))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_event_and_later_totals_are_logged() {
        let begun = Instant::now();
        let mut restarts = Restarts::default();
        let table = [
            // Seconds, number to log.
            (0, Some(1)),
            (0, None),
            (1, None),
            (9, None),
            (10, Some(4)),
            (19, None),
            (20, Some(2)),
            (60, Some(1)),
        ];
        for (seconds, expected) in table {
            let count = restarts.note(begun + Duration::from_secs(seconds));
            assert_eq!(count, expected, "{seconds}");
        }
    }
}
