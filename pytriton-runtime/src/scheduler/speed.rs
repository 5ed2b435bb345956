use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

/// How long the calls of a function take, as far as that is known.
#[derive(Debug)]
pub(super) struct Speed {
    /// The nanoseconds of a call, where the last ones count most.
    usual: AtomicU64,
    /// How many calls that were taken for short were far from it.
    mistakes: AtomicU32,
}

/// So long a call may hold the thread that serves connections; about what it takes to wake another thread and to be woken.
const SHORT: Duration = Duration::from_micros(50);

/// A call of so long that was taken for short is a mistake, of which there are so many at the most.
const LONG: Duration = Duration::from_millis(1);
const MISTAKES: u32 = 3;

const NEVER: u64 = u64::MAX;

impl Speed {
    /// Of a function that has not been called: it is not taken for short before it has been so a few times.
    pub(super) fn new() -> Self {
        Self {
            usual: AtomicU64::new(nanoseconds(4 * SHORT)),
            mistakes: AtomicU32::new(0),
        }
    }

    /// Whether a call is over in less time than it takes to hand it to another thread.
    pub(super) fn is_short(&self) -> bool {
        self.usual.load(Ordering::Relaxed) < nanoseconds(SHORT)
    }

    /// Notes what a call took. One that was long is followed by none that is taken for short until many were; one that has
    /// failed may have failed early, and says nothing of those that do not.
    pub(super) fn note(&self, took: Duration, failed: bool) {
        let took = nanoseconds(took);
        // One of two that come at the same time may be lost; there will be others.
        let usual = self.usual.load(Ordering::Relaxed);
        if usual == NEVER || failed && took < usual {
            return;
        }
        let next = match took > nanoseconds(8 * SHORT) {
            true => took.saturating_mul(4).min(NEVER - 1),
            false => usual - usual / 4 + took / 4,
        };
        let order = Ordering::Relaxed;
        let _ = self.usual.compare_exchange(usual, next, order, order);
    }

    /// Notes what a call took that was taken for short.
    pub(super) fn check(&self, took: Duration) {
        if took > LONG && self.mistakes.fetch_add(1, Ordering::Relaxed) + 1 >= MISTAKES {
            self.never();
        }
    }

    /// Notes that no call may hold that thread.
    pub(super) fn never(&self) {
        self.usual.store(NEVER, Ordering::Relaxed);
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether calls are taken for short after those of so many microseconds.
    fn after(microseconds: &[u64]) -> bool {
        let speed = Speed::new();
        let calls = microseconds.iter().copied().map(Duration::from_micros);
        calls.for_each(|took| speed.note(took, false));
        speed.is_short()
    }

    #[test]
    fn learns_what_is_short() {
        let quick = [5; 100];
        assert!(!after(&[]));
        assert!(!after(&quick[..2]));
        assert!(after(&quick[..10]));
        assert!(!after(&[60; 1000]));
        assert!(after(&[&quick[..], &[100]].concat()));
        assert!(!after(&[&quick[..], &[1000]].concat()));
        assert!(!after(&[&quick[..], &[100; 5]].concat()));
        assert!(after(&[&quick[..], &[100; 5], &quick[..]].concat()));
        assert!(!after(&[&quick[..], &[1000], &quick[..5]].concat()));
        assert!(after(&[&quick[..], &[1000], &quick[..40]].concat()));
    }

    #[test]
    fn what_is_never_to_be_done_is_not_learned() {
        let speed = Speed::new();
        speed.never();
        (0..100).for_each(|_| speed.note(Duration::from_micros(1), false));
        assert!(!speed.is_short());
    }
    #[test]
    fn failures_and_mistakes_are_no_reason_to_take_it_for_short() {
        let speed = Speed::new();
        (0..100).for_each(|_| speed.note(Duration::from_micros(1), true));
        assert!(!speed.is_short());
        (0..100).for_each(|_| speed.note(Duration::from_micros(1), false));
        assert!(speed.is_short());
        speed.note(2 * LONG, true);
        assert!(!speed.is_short());
        (0..3).for_each(|_| speed.check(2 * LONG));
        (0..100).for_each(|_| speed.note(Duration::from_micros(1), false));
        assert!(!speed.is_short());
    }
}
