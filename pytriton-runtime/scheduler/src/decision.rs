use std::time::Duration;

use tokio::time::Instant;

use super::{BatchSize, Policy};

/// A waiting request that may join a batch.
#[derive(Debug, Clone, Copy)]
pub struct Candidate {
    /// Its size.
    pub size: BatchSize,
    /// When it began to wait.
    pub since: Instant,
    /// Whether it stacks with the requests before it.
    pub joins: bool,
}

/// The next action for the requests at the head of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Add requests to the batch, which can then be executed.
    Take {
        /// The number of requests, from the head of the queue. 0 if none fits.
        requests: usize,
        /// Whether no other request may join the batch afterwards.
        full: bool,
        /// Whether the next request does not stack with them.
        differs: bool,
    },
    /// Decide again after this time, or when another request arrives.
    Wait(Duration),
}

impl Decision {
    /// Returns the number of requests to take, or `None` if they wait.
    #[cfg(test)]
    pub(super) fn requests(self) -> Option<usize> {
        match self {
            Self::Take { requests, .. } => Some(requests),
            Self::Wait(_) => None,
        }
    }
}

impl Policy {
    /// Decides which candidates, in queue order, join a batch of this size. With `hurry`, no
    /// request waits for others.
    ///
    /// A batch ends at the largest preferred size that the candidates reach. It also ends before a
    /// candidate that would exceed the largest preferred size, even if it has reached no preferred
    /// size. If the oldest candidate has waited for the whole queue delay, preferred sizes do not
    /// matter, and the batch takes all candidates that fit.
    ///
    /// A candidate that would exceed the maximum cost ends the batch like one that would exceed the
    /// maximum size. If it exceeds the maximum cost alone, it is a batch of its own. A batch that
    /// has reached the maximum cost is taken at once.
    ///
    /// Source: `DynamicBatchScheduler::GetDynamicBatch` in Triton 2.51.
    pub fn decide(
        &self,
        batch: BatchSize,
        candidates: impl IntoIterator<Item = Candidate>,
        hurry: bool,
        now: Instant,
    ) -> Decision {
        let Some(&largest_preferred) = self.preferred_batch_sizes.last() else {
            // Without batching, each request is executed separately.
            let requests = candidates.into_iter().take(usize::from(batch.rows == 0));
            return Decision::Take {
                requests: requests.count(),
                full: true,
                differs: false,
            };
        };
        let (mut requests, mut total) = (0, batch);
        // The number of requests up to the best end of the batch so far, which is a preferred size
        // or the last size below the maximum. It is 0 if there is no such end.
        let mut mark = 0;
        let mut oldest = None;
        let (mut full, mut blocked, mut differs) = (false, false, false);
        for candidate in candidates {
            let sum = total.saturating_add(candidate.size);
            if total.rows > 0 {
                if sum.rows > largest_preferred && mark == 0 {
                    mark = requests;
                    full = true;
                }
                let fits = self.fits(sum);
                differs = fits && !candidate.joins;
                blocked = !fits || differs;
                if blocked {
                    break;
                }
            }
            requests += 1;
            total = sum;
            oldest = Some(oldest.map_or(candidate.since, |oldest| candidate.since.min(oldest)));
            if self.preferred_batch_sizes.contains(&total.rows) {
                mark = requests;
            }
        }
        let waited = oldest.map(|oldest| now.saturating_duration_since(oldest));
        let left = waited.and_then(|waited| self.max_queue_delay.checked_sub(waited));
        let left = left.filter(|left| !left.is_zero() && !hurry);
        let immediate = self.max_queue_delay.is_zero();
        let take = |requests, full| Decision::Take {
            requests,
            full,
            differs,
        };
        if mark > 0 && (left.is_some() || immediate) {
            return take(mark, full || immediate);
        }
        let is_full = total.rows >= largest_preferred || total.cost >= self.max_batch_cost;
        if requests == 0 || blocked || is_full {
            return take(requests, true);
        }
        let grows = batch.rows > 0 && !self.preferred_batch_sizes.contains(&batch.rows);
        match left {
            Some(left) if full || !grows => Decision::Wait(left),
            _ => take(requests, full),
        }
    }
}

#[cfg(test)]
mod tests {
    use pytriton_core::model::QueuePolicy;

    use super::super::Level;
    use super::*;

    fn policy(preferred: &[usize], delay: u64) -> Policy {
        Policy {
            max_batch_size: 8,
            max_batch_cost: u64::MAX,
            preferred_batch_sizes: preferred.to_vec(),
            max_queue_delay: Duration::from_micros(delay),
            prefetched: 0,
            preserve_ordering: false,
            levels: 1,
            default_level: 1,
            limits: Level::new(QueuePolicy::DEFAULT, 16),
            own_limits: Vec::new(),
        }
    }

    /// Returns candidates. The first one has waited for `waited` microseconds, and the last one
    /// does not stack if it `differs`.
    fn candidates(rows: &[usize], waited: u64, differs: bool, now: Instant) -> Vec<Candidate> {
        let candidate = |(index, &rows_of): (usize, &usize)| Candidate {
            size: BatchSize {
                rows: rows_of,
                cost: 0,
            },
            since: match index {
                0 => now - Duration::from_micros(waited),
                _ => now,
            },
            joins: !differs || index + 1 < rows.len(),
        };
        rows.iter().enumerate().map(candidate).collect()
    }

    fn formed(rows: usize) -> BatchSize {
        BatchSize { rows, cost: 0 }
    }

    type Row<'a> = (&'a [usize], u64, usize, &'a [usize], u64, Option<usize>);

    /// Preferred sizes, delay, rows of the batch so far, waiting rows, how long the first has
    /// waited, requests taken.
    const TABLE: &[Row<'_>] = &[
        // No dynamic batching: each request separately.
        (&[], 0, 0, &[1, 1, 1], 0, Some(1)),
        (&[], 0, 1, &[1, 1, 1], 0, Some(0)),
        // No delay: all waiting requests.
        (&[8], 0, 0, &[1, 1, 1], 0, Some(3)),
        (&[8], 0, 0, &[3, 3, 3], 0, Some(2)),
        (&[8], 0, 0, &[8], 0, Some(1)),
        // With a delay, requests wait for others unless the batch is full or cannot grow.
        (&[8], 100, 0, &[1, 1], 40, None),
        (&[8], 100, 0, &[1, 1], 100, Some(2)),
        (&[8], 100, 0, &[4, 4], 0, Some(2)),
        (&[8], 100, 0, &[5, 4], 0, Some(1)),
        // The largest reached preferred size is taken at once.
        (&[2, 4], 100, 0, &[1, 1], 0, Some(2)),
        (&[2, 4], 100, 0, &[1, 1, 1], 0, Some(2)),
        (&[2, 4], 100, 0, &[1, 1, 1, 1, 1], 0, Some(4)),
        (&[4], 100, 0, &[3], 0, None),
        (&[2, 6], 0, 0, &[1, 1, 1], 0, Some(2)),
        (&[2, 6], 0, 0, &[1], 0, Some(1)),
        // A request that would exceed the largest preferred size does not join, even if it fits the
        // batch.
        (&[4], 100, 0, &[3, 3], 0, Some(1)),
        (&[2, 6], 100, 0, &[3, 4], 0, Some(1)),
        (&[2, 6], 0, 0, &[3, 4], 0, Some(1)),
        (&[2, 6], 100, 0, &[3, 3, 1], 0, Some(2)),
        (&[2, 6], 100, 0, &[1, 1, 5], 0, Some(2)),
        (&[2, 6], 100, 0, &[7], 0, Some(1)),
        // After the delay, all requests that fit are taken.
        (&[4], 100, 0, &[3, 3], 100, Some(2)),
        (&[2, 6], 100, 0, &[3, 4], 100, Some(2)),
        (&[2, 6], 100, 0, &[1, 1, 1], 100, Some(3)),
        (&[2, 6], 100, 0, &[1, 1, 5, 3], 100, Some(3)),
        // A formed batch grows: at once if it has no preferred size.
        (&[2, 6], 100, 1, &[2], 0, Some(1)),
        (&[2, 6], 100, 2, &[1], 0, None),
        (&[2, 6], 100, 2, &[1], 100, Some(1)),
        (&[2, 6], 100, 2, &[1, 3], 0, Some(2)),
        (&[2, 6], 100, 2, &[1, 2], 0, None),
        (&[2, 6], 100, 6, &[1], 0, Some(1)),
        (&[2, 6], 100, 6, &[3], 0, Some(0)),
        (&[2, 6], 100, 5, &[2, 1], 0, Some(1)),
        (&[2, 6], 0, 1, &[1, 1], 0, Some(1)),
    ];

    #[test]
    fn decisions_match_triton() {
        let now = Instant::now() + Duration::from_secs(1);
        for &(preferred, delay, batch, rows, waited, expected) in TABLE {
            let policy = policy(preferred, delay);
            let case = format!("{preferred:?} {delay} {batch} {rows:?} {waited}");
            let candidates = || candidates(rows, waited, false, now);
            let decision = policy.decide(formed(batch), candidates(), false, now);
            assert_eq!(decision.requests(), expected, "{case}");
            if let Decision::Wait(left) = decision {
                assert_eq!(left, Duration::from_micros(delay - waited), "{case}");
            }
            // With `hurry`, no request waits.
            let decision = policy.decide(formed(batch), candidates(), true, now);
            assert!(decision.requests().is_some(), "{case}");
        }
    }

    #[test]
    fn unstackable_request_ends_the_wait() {
        let now = Instant::now() + Duration::from_secs(1);
        type Row<'a> = (&'a [usize], usize, &'a [usize], usize, bool);
        let table: &[Row<'_>] = &[
            (&[8], 0, &[1, 1, 1], 2, true),
            (&[2, 6], 0, &[1, 1, 1, 1], 2, true),
            (&[2, 6], 0, &[1, 1], 1, true),
            (&[2, 6], 2, &[1], 0, true),
        ];
        for &(preferred, batch, rows, requests, differs) in table {
            let candidates = candidates(rows, 0, true, now);
            let decision = policy(preferred, 100).decide(formed(batch), candidates, false, now);
            let Decision::Take {
                requests: taken,
                differs: found,
                ..
            } = decision
            else {
                panic!("{preferred:?} {batch} {rows:?}: {decision:?}");
            };
            assert_eq!(
                (taken, found),
                (requests, differs),
                "{preferred:?} {batch} {rows:?}"
            );
        }
    }

    #[test]
    fn a_batch_is_full_if_no_other_request_may_join_it() {
        let now = Instant::now() + Duration::from_secs(1);
        type Row<'a> = (&'a [usize], u64, &'a [usize], usize, bool);
        let table: &[Row<'_>] = &[
            // At the largest preferred size, later requests may still join.
            (&[4], 100, &[3, 1], 2, false),
            (&[2, 4], 100, &[1, 1], 2, false),
            // The next request would exceed it.
            (&[4], 100, &[3, 2], 1, true),
            (&[2, 4], 100, &[2, 3], 1, false),
            // Without a delay, nothing waits.
            (&[4], 0, &[3, 1], 2, true),
            (&[], 0, &[1, 1], 1, true),
        ];
        for &(preferred, delay, rows, requests, full) in table {
            let candidates = candidates(rows, 0, false, now);
            let expected = Decision::Take {
                requests,
                full,
                differs: false,
            };
            let decision = policy(preferred, delay).decide(formed(0), candidates, false, now);
            assert_eq!(decision, expected, "{preferred:?} {delay} {rows:?}");
        }
    }
}
