use std::collections::VecDeque;

use tokio::time::Instant;

use super::{BatchSize, Policy};

/// The batches that are formed before an instance is idle. Their requests are the first ones of the
/// queue.
///
/// While all instances are busy, a batch that has reached a preferred size is not changed to reach
/// a larger one. New requests join it only if [`Policy::decide`] allows it.
///
/// Source: payloads of `DynamicBatchScheduler` and `InstanceQueue::Dequeue` in Triton 2.51.
#[derive(Debug, Default)]
pub(super) struct Prefetched {
    batches: VecDeque<Formed>,
    requests: usize,
}

/// A formed batch that has not been taken yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Formed {
    pub(super) requests: usize,
    pub(super) size: BatchSize,
    /// When its oldest request began to wait.
    pub(super) since: Instant,
    /// Whether no other request may join it.
    pub(super) full: bool,
    /// Whether the next request does not stack with it.
    pub(super) differs: bool,
}

impl Prefetched {
    /// Returns the number of requests in all batches.
    pub(super) fn requests(&self) -> usize {
        self.requests
    }

    /// Returns the number of batches.
    pub(super) fn len(&self) -> usize {
        self.batches.len()
    }

    /// Returns the batch that others may join.
    pub(super) fn open(&self) -> Option<&Formed> {
        self.batches.back().filter(|batch| !batch.full)
    }

    /// Adds requests to the open batch, or forms a new one.
    pub(super) fn add(&mut self, added: Formed) {
        self.requests += added.requests;
        match self.batches.back_mut().filter(|batch| !batch.full) {
            Some(batch) => {
                batch.since = match batch.requests {
                    0 => added.since,
                    _ => batch.since.min(added.since),
                };
                batch.requests += added.requests;
                batch.size = batch.size.saturating_add(added.size);
                batch.full = added.full;
                batch.differs |= added.differs;
            }
            None => self.batches.push_back(added),
        }
    }

    /// Takes the first batch, together with following ones that fit and have waited for the whole
    /// queue delay. Returns its number of requests. `stacks` tests whether the request at an index
    /// stacks with the first one.
    pub(super) fn take(
        &mut self,
        policy: &Policy,
        now: Instant,
        stacks: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let mut batch = self.batches.pop_front()?;
        if !policy.max_queue_delay.is_zero() && !batch.differs {
            while let Some(next) = self.batches.front()
                && !next.differs
                && now.saturating_duration_since(next.since) > policy.max_queue_delay
                && let size = batch.size.saturating_add(next.size)
                && policy.fits(size)
                && stacks(batch.requests)
            {
                batch.requests += next.requests;
                batch.size = size;
                self.batches.pop_front();
            }
        }
        self.requests -= batch.requests;
        Some(batch.requests)
    }

    /// Records that the request at an index of the queue, with this size, has left.
    pub(super) fn withdraw(&mut self, mut place: usize, size: BatchSize) {
        for (index, batch) in self.batches.iter_mut().enumerate() {
            if place >= batch.requests {
                place -= batch.requests;
                continue;
            }
            batch.requests -= 1;
            batch.size = batch.size.saturating_sub(size);
            self.requests -= 1;
            if batch.requests == 0 {
                self.batches.remove(index);
            }
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use pytriton_core::testing::IDENTITY;

    use super::*;

    fn policy(delay: u64) -> Policy {
        Policy {
            max_queue_delay: Duration::from_millis(delay),
            ..Policy::new(&IDENTITY.spec().unwrap(), 16)
        }
    }

    fn rows(rows: usize) -> BatchSize {
        BatchSize { rows, cost: 0 }
    }

    fn formed(requests: usize, since: Instant, full: bool) -> Formed {
        Formed {
            requests,
            size: rows(2 * requests),
            since,
            full,
            differs: false,
        }
    }

    #[test]
    fn requests_that_waited_the_full_delay_leave_together() {
        let begun = Instant::now();
        let at = |milliseconds| begun + Duration::from_millis(milliseconds);
        let table = [
            // Delay, when it is taken, whether the next stacks, requests that leave.
            (100, 300, true, Some(3)),
            (100, 300, false, Some(1)),
            (100, 105, true, Some(1)),
            (100, 115, true, Some(3)),
            (0, 300, true, Some(1)),
        ];
        for (delay, taken, stacks, expected) in table {
            let mut batches = Prefetched::default();
            batches.add(formed(1, at(0), true));
            batches.add(formed(2, at(10), true));
            batches.add(formed(2, at(10), true));
            let case = format!("{delay} {taken} {stacks}");
            let got = batches.take(&policy(delay), at(taken), |_| stacks);
            assert_eq!(got, expected, "{case}");
            assert_eq!(batches.requests(), 5 - expected.unwrap(), "{case}");
        }
    }

    #[test]
    fn a_batch_without_waiting_requests_is_dropped() {
        let now = Instant::now();
        let mut batches = Prefetched::default();
        batches.add(formed(1, now, true));
        batches.add(formed(1, now, false));
        batches.add(formed(1, now, false));
        assert_eq!((batches.len(), batches.requests()), (2, 3));
        // A request that waits behind the batches.
        batches.withdraw(3, rows(2));
        assert_eq!(batches.requests(), 3);
        batches.withdraw(1, rows(2));
        assert_eq!((batches.len(), batches.requests()), (2, 2));
        batches.withdraw(0, rows(2));
        assert_eq!((batches.len(), batches.requests()), (1, 1));
        batches.withdraw(0, rows(2));
        assert_eq!((batches.len(), batches.requests()), (0, 0));
        assert_eq!(batches.take(&policy(0), now, |_| true), None);
    }
}
