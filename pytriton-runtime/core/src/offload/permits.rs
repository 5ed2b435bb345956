use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::future::pending;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::oneshot;

/// The assumed speed of work in bytes per millisecond. If all processors are busy, an offload thread
/// gets only a tenth of one.
const BYTES_PER_MILLISECOND: usize = 1 << 10;

/// The maximum assumed duration. After this time, no work that arrives later is preferred.
const MAX_DURATION_MS: usize = 10_000;

/// Permits to run work. A free permit goes to the work that would be finished first if all of it had
/// started when it arrived, so that short work does not wait for all longer work before it.
pub(super) struct Permits(Mutex<State>);

struct State {
    free: usize,
    /// The number of calls that had to wait.
    waits: u64,
    waiting: BinaryHeap<Reverse<Waiting>>,
}

/// Work without a permit, ordered by its assumed end.
struct Waiting {
    end: Instant,
    /// Orders work with the same end by arrival.
    number: u64,
    sender: oneshot::Sender<Permit>,
}

/// A permit, which is returned when this is dropped.
pub(super) struct Permit(&'static Permits);

impl Permits {
    /// Creates this number of permits.
    pub(super) fn new(count: usize) -> Self {
        Self(Mutex::new(State {
            free: count,
            waits: 0,
            waiting: BinaryHeap::new(),
        }))
    }

    /// Returns a permit if one is free.
    pub(super) fn try_acquire(&'static self) -> Option<Permit> {
        let mut state = self.0.lock();
        state.free = state.free.checked_sub(1)?;
        Some(Permit(self))
    }

    /// Waits for a permit for work on that many bytes.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, other work gets the permit.
    pub(super) async fn acquire(&'static self, bytes: usize) -> Permit {
        let permit = match self.try_or_wait(bytes) {
            Ok(permit) => return permit,
            Err(permit) => permit.await,
        };
        match permit {
            Ok(permit) => permit,
            // Unreachable: every sender stays in the heap until it sends.
            Err(_) => pending().await,
        }
    }

    fn try_or_wait(&'static self, bytes: usize) -> Result<Permit, oneshot::Receiver<Permit>> {
        let mut state = self.0.lock();
        if let Some(free) = state.free.checked_sub(1) {
            state.free = free;
            return Ok(Permit(self));
        }
        let (sender, receiver) = oneshot::channel();
        let number = state.waits;
        state.waits += 1;
        state.waiting.push(Reverse(Waiting {
            end: Instant::now() + assumed_duration(bytes),
            number,
            sender,
        }));
        Err(receiver)
    }

    /// Removes the next work that was not cancelled. If there is none, a permit becomes free.
    fn next(&self) -> Option<Waiting> {
        let mut state = self.0.lock();
        while let Some(Reverse(next)) = state.waiting.pop() {
            if !next.sender.is_closed() {
                return Some(next);
            }
        }
        state.free += 1;
        None
    }
}

fn assumed_duration(bytes: usize) -> Duration {
    let milliseconds = (bytes / BYTES_PER_MILLISECOND).min(MAX_DURATION_MS);
    Duration::from_millis(milliseconds as u64)
}

impl Drop for Permit {
    fn drop(&mut self) {
        if let Some(next) = self.0.next() {
            // If that work has just been cancelled, the permit returns and is dropped as well.
            drop(next.sender.send(Self(self.0)));
        }
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.end, self.number).cmp(&(other.end, other.number))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Waiting {}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn permits(count: usize) -> &'static Permits {
        Box::leak(Box::new(Permits::new(count)))
    }

    fn free(permits: &Permits) -> usize {
        permits.0.lock().free
    }

    #[test]
    fn permits_are_limited_and_returned() {
        for count in [1, 2, 5] {
            let permits = permits(count);
            let held: Vec<_> = (0..count).map(|_| permits.try_acquire().unwrap()).collect();
            assert!(permits.try_acquire().is_none());
            assert!(permits.acquire(1).now_or_never().is_none());
            drop(held);
            assert_eq!(free(permits), count);
        }
    }

    #[tokio::test]
    async fn shorter_work_is_first_and_equal_work_in_order() {
        let permits = permits(1);
        let held = permits.acquire(1).await;
        let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
        for (name, bytes) in [
            ("a", 64 << 20),
            ("b", 4 << 20),
            ("c", 1 << 20),
            ("d", 64 << 20),
            ("e", 1 << 10),
            ("f", 4 << 20),
        ] {
            let sender = sender.clone();
            let mut acquired = Box::pin(permits.acquire(bytes));
            // It enters the heap now.
            assert!(acquired.as_mut().now_or_never().is_none());
            tokio::spawn(async move {
                let _permit = acquired.await;
                sender.send(name).unwrap();
            });
        }
        drop((held, sender));
        let mut order = String::new();
        while let Some(name) = receiver.recv().await {
            order.push_str(name);
        }
        assert_eq!(order, "ecbfad");
        assert_eq!(free(permits), 1);
    }

    #[tokio::test]
    async fn cancelled_work_passes_its_permit_on() {
        for cancelled in 0..3 {
            let permits = permits(1);
            let held = permits.acquire(1).await;
            let mut waiting: Vec<_> = (0..3).map(|_| Box::pin(permits.acquire(1))).collect();
            for waiting in &mut waiting {
                assert!(waiting.as_mut().now_or_never().is_none());
            }
            drop(waiting.remove(cancelled));
            drop(held);
            // The first of the others has received the permit, and is dropped without a poll.
            drop(waiting.remove(0));
            drop(waiting.remove(0).now_or_never().unwrap());
            assert_eq!(free(permits), 1);
        }
    }
}
