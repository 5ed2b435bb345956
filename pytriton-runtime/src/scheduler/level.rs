use std::time::Duration;

use crate::model::{QueuePolicy, TimeoutAction};

/// How long and how many requests of one priority level may wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Level {
    /// The most requests that may wait.
    pub max_queue_size: usize,
    /// How long a request may wait, if not forever.
    pub default_timeout: Option<Duration>,
    /// Whether a request may shorten that.
    pub allow_timeout_override: bool,
    /// What happens to a request that has waited too long.
    pub timeout_action: TimeoutAction,
}

impl Level {
    /// The level of a model's policy, with the server's bound where that has none.
    pub(super) fn new(policy: QueuePolicy, default_queue_size: usize) -> Self {
        Self {
            max_queue_size: match policy.max_queue_size {
                0 => default_queue_size,
                size => size as usize,
            },
            default_timeout: microseconds(policy.default_timeout_microseconds),
            allow_timeout_override: policy.allow_timeout_override,
            timeout_action: policy.timeout_action,
        }
    }

    /// How long a request may wait that wishes `wish` microseconds (0 for no wish).
    ///
    /// As in Triton, a request can only shorten the model's timeout: where there is none, its wish counts for nothing.
    pub fn timeout(&self, wish: u64) -> Option<Duration> {
        let default = self.default_timeout?;
        let wish = microseconds(wish).filter(|_| self.allow_timeout_override);
        Some(wish.map_or(default, |wish| default.min(wish)))
    }
}

fn microseconds(value: u64) -> Option<Duration> {
    (value > 0).then(|| Duration::from_micros(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_can_only_shorten_the_timeout() {
        let table = [
            (0, false, 5, None),
            (0, true, 5, None),
            (9, false, 5, Some(9)),
            (9, true, 5, Some(5)),
            (9, true, 12, Some(9)),
            (9, true, 0, Some(9)),
        ];
        for (default_timeout_microseconds, allow_timeout_override, wish, expected) in table {
            let policy = QueuePolicy {
                default_timeout_microseconds,
                allow_timeout_override,
                ..QueuePolicy::DEFAULT
            };
            let timeout = Level::new(policy, 4).timeout(wish);
            assert_eq!(timeout, expected.and_then(microseconds));
        }
    }
}
