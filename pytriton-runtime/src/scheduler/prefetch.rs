use std::collections::VecDeque;

use tokio::time::Instant;

use super::Policy;

/// The batches that are formed before an instance is free. Their requests are the first ones of the queue.
///
/// While all instances are busy, a batch that has reached a preferred size is not undone to reach a larger one, and what
/// arrives joins it only as [`Policy::decide`] says.
///
/// Source: payloads of `DynamicBatchScheduler` and `InstanceQueue::Dequeue` in Triton 2.51.
#[derive(Debug, Default)]
pub(super) struct Prefetched {
    batches: VecDeque<Formed>,
    requests: usize,
}

/// A batch that nobody has taken yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Formed {
    pub(super) requests: usize,
    pub(super) rows: usize,
    /// Since when the oldest of them waits.
    pub(super) since: Instant,
    /// Whether no other request may join it.
    pub(super) full: bool,
    /// Whether the request behind it does not stack with it.
    pub(super) differs: bool,
}

impl Prefetched {
    /// How many requests are in one of the batches.
    pub(super) fn requests(&self) -> usize {
        self.requests
    }

    /// How many batches there are.
    pub(super) fn len(&self) -> usize {
        self.batches.len()
    }

    /// The batch that others may join.
    pub(super) fn open(&self) -> Option<&Formed> {
        self.batches.back().filter(|batch| !batch.full)
    }

    /// Adds requests to the open batch, or forms one of them.
    pub(super) fn add(&mut self, added: Formed) {
        self.requests += added.requests;
        match self.batches.back_mut().filter(|batch| !batch.full) {
            Some(batch) => {
                batch.since = match batch.requests {
                    0 => added.since,
                    _ => batch.since.min(added.since),
                };
                batch.requests += added.requests;
                batch.rows += added.rows;
                batch.full = added.full;
                batch.differs |= added.differs;
            }
            None => self.batches.push_back(added),
        }
    }

    /// Takes the first batch, with those behind it that have waited for the whole queue delay and fit; returns its number of
    /// requests. `stacks` says of a request of the queue whether it stacks with the first one.
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
                && batch.rows + next.rows <= policy.max_batch_size
                && stacks(batch.requests)
            {
                batch.requests += next.requests;
                batch.rows += next.rows;
                self.batches.pop_front();
            }
        }
        self.requests -= batch.requests;
        Some(batch.requests)
    }

    /// Notes that the request at a place of the queue, of so many rows, has left.
    pub(super) fn withdraw(&mut self, mut place: usize, rows: usize) {
        for (index, batch) in self.batches.iter_mut().enumerate() {
            if place >= batch.requests {
                place -= batch.requests;
                continue;
            }
            batch.requests -= 1;
            batch.rows -= rows;
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

    use crate::testing::IDENTITY;

    use super::*;

    fn policy(delay: u64) -> Policy {
        Policy {
            max_queue_delay: Duration::from_millis(delay),
            ..Policy::new(&IDENTITY.spec().unwrap(), 16)
        }
    }

    fn formed(requests: usize, since: Instant, full: bool) -> Formed {
        Formed {
            requests,
            rows: 2 * requests,
            since,
            full,
            differs: false,
        }
    }

    #[test]
    fn what_has_waited_for_the_whole_delay_leaves_together() {
        let begun = Instant::now();
        let at = |milliseconds| begun + Duration::from_millis(milliseconds);
        let table = [
            // delay, when it is taken, whether the next stacks, requests that leave
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
    fn a_batch_whose_requests_have_all_left_is_gone() {
        let now = Instant::now();
        let mut batches = Prefetched::default();
        batches.add(formed(1, now, true));
        batches.add(formed(1, now, false));
        batches.add(formed(1, now, false));
        assert_eq!((batches.len(), batches.requests()), (2, 3));
        // One of those that wait behind the batches.
        batches.withdraw(3, 2);
        assert_eq!(batches.requests(), 3);
        batches.withdraw(1, 2);
        assert_eq!((batches.len(), batches.requests()), (2, 2));
        batches.withdraw(0, 2);
        assert_eq!((batches.len(), batches.requests()), (1, 1));
        batches.withdraw(0, 2);
        assert_eq!((batches.len(), batches.requests()), (0, 0));
        assert_eq!(batches.take(&policy(0), now, |_| true), None);
    }
}
