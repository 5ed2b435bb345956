use std::time::Duration;

use crate::model::{ModelSpec, QueuePolicy, TimeoutAction};

/// When and how many of the waiting requests make a batch: Triton's dynamic batcher as a pure rule.
///
/// Source: `DynamicBatchScheduler::GetDynamicBatch` in Triton 2.51.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// The most rows of a batch.
    pub max_batch_size: usize,
    /// Numbers of rows that are taken as soon as they are reached, ascending; empty when requests go alone.
    pub preferred_batch_sizes: Vec<usize>,
    /// How long the oldest request may wait for company.
    pub max_queue_delay: Duration,
    /// Whether responses leave in the order of their requests.
    pub preserve_ordering: bool,
    /// The most requests that may wait.
    pub max_queue_size: usize,
    /// How long a request may wait, if not forever.
    pub default_timeout: Option<Duration>,
    /// Whether a request may shorten that.
    pub allow_timeout_override: bool,
    /// What happens to a request that has waited too long.
    pub timeout_action: TimeoutAction,
}

/// What to do with the requests at the head of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Execute that many requests now.
    Take(usize),
    /// Look again after that time, or when another request comes.
    Wait(Duration),
}

impl Policy {
    /// The policy of a model, with the server's bound for queues that have none of their own.
    pub fn new(spec: &ModelSpec, default_queue_size: usize) -> Self {
        let max_batch_size = (spec.max_batch_size as usize).max(1);
        let batching = spec.dynamic_batching.filter(|_| spec.batching());
        let queue = batching.map_or(QueuePolicy::DEFAULT, |batching| batching.queue_policy);
        let mut preferred: Vec<usize> = batching.map_or(Vec::new(), |batching| {
            let sizes = batching.preferred_batch_size.iter();
            sizes.map(|&size| size as usize).collect()
        });
        if batching.is_some() && preferred.is_empty() {
            preferred.push(max_batch_size);
        }
        preferred.sort_unstable();
        Self {
            max_batch_size,
            preferred_batch_sizes: preferred,
            max_queue_delay: Duration::from_micros(
                batching.map_or(0, |batching| batching.max_queue_delay_microseconds),
            ),
            preserve_ordering: batching.is_some_and(|batching| batching.preserve_ordering),
            max_queue_size: match queue.max_queue_size {
                0 => default_queue_size,
                size => size as usize,
            },
            default_timeout: microseconds(queue.default_timeout_microseconds),
            allow_timeout_override: queue.allow_timeout_override,
            timeout_action: queue.timeout_action,
        }
    }

    /// How long a request may wait that wishes `wish` microseconds (0 for no wish).
    ///
    /// As in Triton, a request can only shorten the model's timeout, and only where the model allows it.
    pub fn timeout(&self, wish: u64) -> Option<Duration> {
        let wish = microseconds(wish).filter(|_| self.allow_timeout_override);
        match (self.default_timeout, wish) {
            (Some(default), Some(wish)) => Some(default.min(wish)),
            (default, wish) => default.or(wish),
        }
    }

    /// Decides on the head of a queue: `rows` are the rows of the requests that could go together, oldest first;
    /// `closed` says that the request behind them could not join; `waited` is how long the oldest has waited.
    pub fn decide(&self, rows: &[usize], closed: bool, waited: Duration) -> Decision {
        let Some(&largest_preferred) = self.preferred_batch_sizes.last() else {
            return Decision::Take(rows.len().min(1));
        };
        let (mut fitting, mut total, mut preferred) = (0, 0_usize, None);
        for &row in rows {
            if fitting > 0 && total.saturating_add(row) > self.max_batch_size {
                break;
            }
            total = total.saturating_add(row);
            fitting += 1;
            if self.preferred_batch_sizes.contains(&total) {
                preferred = Some(fitting);
            }
        }
        if let Some(preferred) = preferred {
            return Decision::Take(preferred);
        }
        let full = closed || fitting < rows.len() || total >= largest_preferred;
        match self.max_queue_delay.checked_sub(waited) {
            Some(left) if !full && !left.is_zero() => Decision::Wait(left),
            _ => Decision::Take(fitting),
        }
    }
}

fn microseconds(value: u64) -> Option<Duration> {
    (value > 0).then(|| Duration::from_micros(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(preferred: &[usize], delay: u64) -> Policy {
        Policy {
            max_batch_size: 8,
            preferred_batch_sizes: preferred.to_vec(),
            max_queue_delay: Duration::from_micros(delay),
            preserve_ordering: false,
            max_queue_size: 16,
            default_timeout: None,
            allow_timeout_override: false,
            timeout_action: TimeoutAction::Reject,
        }
    }

    #[test]
    fn decides_as_triton_does() {
        use Decision::{Take, Wait};
        let wait = |left| Wait(Duration::from_micros(left));
        type Row<'a> = (&'a [usize], u64, &'a [usize], bool, u64, Decision);
        let table: &[Row<'_>] = &[
            // No dynamic batching: each request alone.
            (&[], 0, &[1, 1, 1], false, 0, Take(1)),
            // No delay: whatever is there.
            (&[8], 0, &[1, 1, 1], false, 0, Take(3)),
            (&[8], 0, &[3, 3, 3], false, 0, Take(2)),
            (&[8], 0, &[8], false, 0, Take(1)),
            // A delay: wait for company, but not when the batch is full or cannot grow.
            (&[8], 100, &[1, 1], false, 40, wait(60)),
            (&[8], 100, &[1, 1], false, 100, Take(2)),
            (&[8], 100, &[1, 1], true, 0, Take(2)),
            (&[8], 100, &[4, 4], false, 0, Take(2)),
            (&[8], 100, &[5, 4], false, 0, Take(1)),
            // A preferred size goes at once, the largest that is reached.
            (&[2, 4], 100, &[1, 1], false, 0, Take(2)),
            (&[2, 4], 100, &[1, 1, 1], false, 0, Take(2)),
            (&[2, 4], 100, &[1, 1, 1, 1, 1], false, 0, Take(4)),
            (&[4], 100, &[3, 3], false, 0, Take(2)),
            (&[4], 100, &[3], false, 0, wait(100)),
        ];
        for (preferred, delay, rows, closed, waited, expected) in table {
            let waited = Duration::from_micros(*waited);
            let got = policy(preferred, *delay).decide(rows, *closed, waited);
            assert_eq!(got, *expected, "{preferred:?} {delay} {rows:?} {closed}");
        }
    }

    #[test]
    fn a_request_can_only_shorten_the_timeout() {
        let table = [
            (0, false, 5, None),
            (0, true, 5, Some(5)),
            (9, false, 5, Some(9)),
            (9, true, 5, Some(5)),
            (9, true, 12, Some(9)),
            (9, true, 0, Some(9)),
        ];
        for (default, allow_timeout_override, wish, expected) in table {
            let policy = Policy {
                default_timeout: microseconds(default),
                allow_timeout_override,
                ..policy(&[8], 0)
            };
            assert_eq!(policy.timeout(wish), expected.and_then(microseconds));
        }
    }
}
