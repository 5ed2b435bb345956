use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How long the calls of a function take, as far as that is known.
#[derive(Debug)]
pub(super) struct Pace {
    /// The nanoseconds of a call, where the last ones count most.
    usual: AtomicU64,
}

/// So long a call may hold the thread that serves connections; about what it takes to wake another thread and to be woken.
const SHORT: Duration = Duration::from_micros(50);

const NEVER: u64 = u64::MAX;

impl Pace {
    /// Of a function that has not been called: it is not taken for short before it has been so a few times.
    pub(super) fn new() -> Self {
        Self {
            usual: AtomicU64::new(nanoseconds(4 * SHORT)),
        }
    }

    /// Whether a call is over in less time than it takes to hand it to another thread.
    pub(super) fn is_short(&self) -> bool {
        self.usual.load(Ordering::Relaxed) < nanoseconds(SHORT)
    }

    /// Notes what a call took. One that was long is followed by none that is taken for short until many were.
    pub(super) fn note(&self, took: Duration) {
        let took = nanoseconds(took);
        let usual = self.usual.load(Ordering::Relaxed);
        if usual == NEVER {
            return;
        }
        let usual = match took > nanoseconds(8 * SHORT) {
            true => took.saturating_mul(4).min(NEVER - 1),
            false => usual - usual / 4 + took / 4,
        };
        // One of two that come at the same time may be lost; there will be others.
        self.usual.store(usual, Ordering::Relaxed);
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
        let pace = Pace::new();
        let calls = microseconds.iter().copied().map(Duration::from_micros);
        calls.for_each(|took| pace.note(took));
        pace.is_short()
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
        let pace = Pace::new();
        pace.never();
        (0..100).for_each(|_| pace.note(Duration::from_micros(1)));
        assert!(!pace.is_short());
    }
}
