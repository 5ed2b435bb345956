use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// Counts the slow inline calls of a model.
#[derive(Debug, Default)]
pub(super) struct SlowCalls(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// When the last few began to count.
    recent: Vec<Instant>,
    /// The number of slow calls since the last warning.
    unreported: u64,
    /// When the last warning was logged.
    reported: Option<Instant>,
}

/// An inline call that takes longer is slow.
const SLOW_CALL: Duration = Duration::from_millis(1);
/// This many slow calls within [`SLOW_CALL_WINDOW`] cause a warning. On a busy machine, any single
/// call can be interrupted.
const SLOW_CALLS: usize = 3;
const SLOW_CALL_WINDOW: Duration = Duration::from_secs(1);
/// The minimum time between two warnings.
const WARNING_INTERVAL: Duration = Duration::from_secs(60);

impl SlowCalls {
    /// Counts a call. Returns the number of slow calls since the last warning if another one is
    /// due.
    pub(super) fn count(&self, took: Duration) -> Option<u64> {
        (took > SLOW_CALL).then(|| self.count_slow(Instant::now()))?
    }

    fn count_slow(&self, now: Instant) -> Option<u64> {
        let mut state = self.0.lock();
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
    fn one_millisecond_call_is_not_slow() {
        let slow = SlowCalls::default();
        let calls = (0..100).map(|_| slow.count(Duration::from_millis(1)));
        assert!(calls.into_iter().all(|reported| reported.is_none()));
        let calls = (0..3).map(|_| slow.count(Duration::from_millis(2)));
        assert_eq!(calls.collect::<Vec<_>>(), [None, None, Some(3)]);
    }
}
