use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The inline calls of a model that took long.
#[derive(Debug, Default)]
pub(super) struct SlowCalls(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// When the last few began to count.
    recent: Vec<Instant>,
    /// How many there were since the last warning.
    unreported: u64,
    /// When the last warning was written.
    reported: Option<Instant>,
}

/// An inline call of more than this is slow.
const SLOW_CALL: Duration = Duration::from_millis(1);
/// That many slow calls within [`SLOW_CALL_WINDOW`] are worth a warning: on a busy machine any call
/// can be interrupted.
const SLOW_CALLS: usize = 3;
const SLOW_CALL_WINDOW: Duration = Duration::from_secs(1);
/// The time between two warnings.
const WARNING_INTERVAL: Duration = Duration::from_secs(60);

impl SlowCalls {
    /// Counts a call; how many were slow since the last warning, if it is time for another one.
    pub(super) fn count(&self, took: Duration) -> Option<u64> {
        (took > SLOW_CALL).then(|| self.count_slow(Instant::now()))?
    }

    fn count_slow(&self, now: Instant) -> Option<u64> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.unreported += 1;
        let recent = &mut state.recent;
        recent.retain(|at| now.duration_since(*at) < SLOW_CALL_WINDOW);
        recent.push(now);
        let many = recent.len() >= SLOW_CALLS;
        if many {
            recent.clear();
        }
        let due = state
            .reported
            .is_none_or(|at| now.duration_since(at) >= WARNING_INTERVAL);
        (many && due).then(|| {
            state.reported = Some(now);
            std::mem::take(&mut state.unreported)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_slow_calls_within_a_second_are_reported_once_a_minute() {
        let slow = SlowCalls::default();
        let begun = Instant::now();
        let at = |milliseconds| slow.count_slow(begun + Duration::from_millis(milliseconds));
        // Single slow calls are not reported.
        for second in 0..10 {
            assert_eq!(at(second * 2_000), None);
        }
        assert_eq!(at(30_000), None);
        assert_eq!(at(30_100), None);
        assert_eq!(at(30_200), Some(13));
        let later: Vec<_> = (31..90).map(|second| at(second * 1_000)).collect();
        assert!(later.iter().all(Option::is_none));
        let reports: Vec<_> = (900..1_100).filter_map(|tenth| at(tenth * 100)).collect();
        assert_eq!(reports, [59 + 3]);
    }

    #[test]
    fn a_call_of_a_millisecond_is_not_slow() {
        let slow = SlowCalls::default();
        let calls = (0..100).map(|_| slow.count(Duration::from_millis(1)));
        assert!(calls.into_iter().all(|reported| reported.is_none()));
        let calls = (0..3).map(|_| slow.count(Duration::from_millis(2)));
        assert_eq!(calls.collect::<Vec<_>>(), [None, None, Some(3)]);
    }
}
