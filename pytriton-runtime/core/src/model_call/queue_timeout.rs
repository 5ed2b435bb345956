use std::time::Duration;

use tokio::time::Instant;

/// The queue timeout of a call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum QueueTimeout {
    /// The default of the called model.
    #[default]
    Default,
    /// The rest of the queue timeout of the caller's requests.
    Until(Instant),
    /// A timeout that the caller has set.
    For(Duration),
}

impl QueueTimeout {
    /// Returns the timeout of a request that is sent now, in microseconds; 0 means the default.
    ///
    /// A timeout that has ended is 1 µs: the called model executes the request only if it does not
    /// have to wait.
    pub(super) fn microseconds(self) -> u64 {
        let time = match self {
            Self::Default => return 0,
            Self::Until(deadline) => deadline.saturating_duration_since(Instant::now()),
            Self::For(time) => time,
        };
        u64::try_from(time.as_micros()).unwrap_or(u64::MAX).max(1)
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn time_that_has_passed_is_subtracted() {
        let deadline = Instant::now() + Duration::from_millis(5);
        let table = [(0, 5_000), (2, 3_000), (3, 1), (1, 1)];
        for (passed, expected) in table {
            advance(Duration::from_millis(passed)).await;
            assert_eq!(
                QueueTimeout::Until(deadline).microseconds(),
                expected,
                "{passed}"
            );
        }
    }

    #[test]
    fn timeouts_are_converted_to_microseconds() {
        let table = [
            (QueueTimeout::Default, 0),
            (QueueTimeout::For(Duration::ZERO), 1),
            (QueueTimeout::For(Duration::from_millis(2)), 2_000),
            (QueueTimeout::For(Duration::MAX), u64::MAX),
        ];
        for (timeout, expected) in table {
            assert_eq!(timeout.microseconds(), expected, "{timeout:?}");
        }
    }
}
