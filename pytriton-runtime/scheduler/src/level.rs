use std::time::Duration;

use pytriton_core::model::{QueuePolicy, TimeoutAction};

/// The limits of one priority level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Level {
    /// The maximum number of waiting requests.
    pub max_queue_size: usize,
    /// The queue timeout, if any.
    pub default_timeout: Option<Duration>,
    /// Whether a request may shorten the timeout.
    pub allow_timeout_override: bool,
    /// The action taken when the timeout of a queued request expires.
    pub timeout_action: TimeoutAction,
}

impl Level {
    /// Creates a level from a queue policy. The default size applies if the policy has none.
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

    /// Returns the queue timeout of a request that asks for `wish`, if any.
    ///
    /// As in Triton, a request can only shorten the timeout of the model. If the model has none,
    /// the value in the request is ignored.
    pub fn timeout(&self, wish: Option<Duration>) -> Option<Duration> {
        let default = self.default_timeout?;
        let wish = wish.filter(|_| self.allow_timeout_override);
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
        for (default, allow_timeout_override, wish, expected) in table {
            let policy = QueuePolicy::DEFAULT
                .default_timeout(Duration::from_micros(default))
                .allow_timeout_override(allow_timeout_override);
            let timeout = Level::new(policy, 4).timeout(microseconds(wish));
            assert_eq!(timeout, expected.and_then(microseconds));
        }
    }
}
