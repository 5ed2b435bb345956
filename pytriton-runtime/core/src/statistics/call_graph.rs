use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::RwLock;

use super::nanoseconds;

/// The calls between the models of a process.
#[derive(Debug, Default)]
pub struct CallGraph(RwLock<Counters>);

type Counters = BTreeMap<Arc<str>, BTreeMap<Arc<str>, Arc<CallCounter>>>;

/// Counts the calls from one model to another.
#[derive(Debug, Default)]
pub struct CallCounter {
    succeeded: AtomicU64,
    failed: AtomicU64,
    nanoseconds: AtomicU64,
}

/// The calls from one model to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallStatistics {
    /// The calling model; empty for calls from outside of a model.
    pub caller: Arc<str>,
    /// The called model.
    pub callee: Arc<str>,
    /// The number of calls without an error. The caller of a stream may have read only some of its
    /// responses.
    pub succeeded: u64,
    /// The number of calls that failed, or that were cancelled before the first response.
    pub failed: u64,
    /// The total duration of all calls, including the time in the queue of the called model.
    pub duration: Duration,
}

impl CallGraph {
    /// Returns the counter of the calls from one model to another.
    pub fn counter(&self, caller: &Arc<str>, callee: &Arc<str>) -> Arc<CallCounter> {
        let found = |counters: &Counters| counters.get(caller)?.get(callee).cloned();
        if let Some(counter) = found(&self.0.read()) {
            return counter;
        }
        let mut counters = self.0.write();
        let called = counters.entry(Arc::clone(caller)).or_default();
        Arc::clone(called.entry(Arc::clone(callee)).or_default())
    }

    /// Returns the calls of all models, ordered by the names of the caller and the called model.
    pub fn statistics(&self) -> Vec<CallStatistics> {
        let counters = self.0.read();
        let pairs = counters.iter().flat_map(|(caller, called)| {
            let called = called.iter();
            called.map(move |(callee, counter)| counter.statistics(caller, callee))
        });
        pairs.collect()
    }
}

impl CallCounter {
    /// Counts a call.
    pub fn record(&self, duration: Duration, succeeded: bool) {
        let calls = match succeeded {
            true => &self.succeeded,
            false => &self.failed,
        };
        calls.fetch_add(1, Ordering::Relaxed);
        let duration = nanoseconds(duration);
        self.nanoseconds.fetch_add(duration, Ordering::Relaxed);
    }

    fn statistics(&self, caller: &Arc<str>, callee: &Arc<str>) -> CallStatistics {
        CallStatistics {
            caller: Arc::clone(caller),
            callee: Arc::clone(callee),
            succeeded: self.succeeded.load(Ordering::Relaxed),
            failed: self.failed.load(Ordering::Relaxed),
            duration: Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_counted_by_caller_and_called_model() {
        let graph = CallGraph::default();
        assert_eq!(graph.statistics(), []);
        let [a, b, c] = ["a", "b", "c"].map(Arc::<str>::from);
        for (caller, callee, succeeded) in [
            (&a, &b, true),
            (&b, &c, true),
            (&a, &b, false),
            (&a, &c, true),
            (&a, &b, true),
        ] {
            let counter = graph.counter(caller, callee);
            counter.record(Duration::from_micros(3), succeeded);
        }
        let statistics = |caller: &Arc<str>, callee: &Arc<str>, succeeded, failed| CallStatistics {
            caller: Arc::clone(caller),
            callee: Arc::clone(callee),
            succeeded,
            failed,
            duration: Duration::from_micros(3 * (succeeded + failed)),
        };
        let expected = [
            statistics(&a, &b, 2, 1),
            statistics(&a, &c, 1, 0),
            statistics(&b, &c, 1, 0),
        ];
        assert_eq!(graph.statistics(), expected);
    }
}
