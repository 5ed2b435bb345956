use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::statistics::nanoseconds;

/// How long the calls of a function take, as far as that is known.
#[derive(Debug)]
pub(super) struct Speed {
    /// The nanoseconds of a call, where the last ones count most.
    usual: AtomicU64,
    /// Calls that were taken for short and were far from it.
    mistakes: Mutex<Mistakes>,
    /// Of how many calls nothing is learned yet.
    unheeded: AtomicU32,
}

#[derive(Debug, Default)]
struct Mistakes {
    /// When those that count were made.
    at: Vec<Instant>,
    /// When there were too many for the last time, and how many calls were not heeded then.
    last: Option<(Instant, u32)>,
}

/// So long a call may hold the thread that serves connections; about what it takes to wake another thread and to be woken.
const SHORT: Duration = Duration::from_micros(50);

/// A call of so long that was taken for short is a mistake, of which there are fewer than so many in so long a time: on a
/// busy machine a call is interrupted now and then, and is none the longer for it.
const LONG: Duration = Duration::from_millis(1);
const MISTAKES: usize = 3;
const TOGETHER: Duration = Duration::from_secs(1);

/// So many calls must come before the function may be taken for short again, and twice as many each time that this turns
/// out to be wrong so soon.
const UNHEEDED: u32 = 1000;
const SOON: Duration = Duration::from_secs(60);

const RELAXED: Ordering = Ordering::Relaxed;

const NEVER: u64 = u64::MAX;

impl Speed {
    /// Of a function that has not been called: it is not taken for short before it has been so a few times.
    pub(super) fn new() -> Self {
        Self {
            usual: AtomicU64::new(nanoseconds(4 * SHORT)),
            mistakes: Mutex::default(),
            unheeded: AtomicU32::new(0),
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
        let unheeded = &self.unheeded;
        let fewer = |left: u32| left.checked_sub(1);
        if unheeded.load(RELAXED) > 0 && unheeded.fetch_update(RELAXED, RELAXED, fewer).is_ok() {
            return;
        }
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
        if took > LONG {
            self.mistaken(Instant::now());
        }
    }

    fn mistaken(&self, now: Instant) {
        let mistakes = self.mistakes.lock();
        let mut mistakes = mistakes.unwrap_or_else(PoisonError::into_inner);
        let earlier = &mut mistakes.at;
        earlier.retain(|at| now.duration_since(*at) < TOGETHER);
        earlier.push(now);
        if earlier.len() < MISTAKES {
            return;
        }
        earlier.clear();
        let again = mistakes
            .last
            .filter(|(at, _)| now.duration_since(*at) < SOON);
        let unheeded = again.map_or(UNHEEDED, |(_, before)| before.saturating_mul(2));
        mistakes.last = Some((now, unheeded));
        self.unheeded.store(unheeded, Ordering::Relaxed);
        self.usual.fetch_max(NEVER - 1, Ordering::Relaxed);
    }

    /// Notes that no call may hold that thread.
    pub(super) fn never(&self) {
        self.usual.store(NEVER, Ordering::Relaxed);
    }
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

    /// How many short calls it takes until they are taken for short, at the most so many.
    fn relearns(speed: &Speed, most: u32) -> Option<u32> {
        (0..most).find(|_| {
            speed.note(Duration::from_micros(1), false);
            speed.is_short()
        })
    }

    #[test]
    fn mistakes_are_forgotten() {
        let speed = Speed::new();
        assert!(relearns(&speed, 10).is_some());
        let begun = Instant::now();
        let after = |seconds| begun + Duration::from_secs(seconds);
        (0..100).for_each(|second| speed.mistaken(after(2 * second)));
        assert!(speed.is_short());
        // Too many at a time, and again soon, and again much later.
        for (second, least) in [
            (300, UNHEEDED),
            (301, 2 * UNHEEDED),
            (302, 4 * UNHEEDED),
            (400, UNHEEDED),
        ] {
            (0..3).for_each(|_| speed.mistaken(after(second)));
            assert!(!speed.is_short());
            let calls = relearns(&speed, 10 * UNHEEDED).unwrap();
            assert!((least..least + 200).contains(&calls), "{calls} at {second}");
        }
    }
}
