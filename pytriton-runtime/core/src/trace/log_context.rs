use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The maximum number of requests that are named.
const MAX_IDS: usize = 32;

/// Whether log lines name the requests they are about.
static ENABLED: AtomicBool = AtomicBool::new(false);

thread_local! {
    static CURRENT: Cell<Option<Arc<LogContext>>> = const { Cell::new(None) };
}

/// The requests that a piece of work is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogContext {
    /// The name of the model.
    pub model: Arc<str>,
    /// The request ids that clients have set.
    pub requests: Vec<String>,
    /// The traces of the requests, if any.
    pub traces: Vec<u128>,
}

/// Enables naming of requests in log lines.
pub fn enable_log_context() {
    ENABLED.store(true, Ordering::Relaxed);
}

/// Returns whether requests are named in log lines.
pub(super) fn is_log_context_enabled() -> bool {
    ENABLED.load(Ordering::Relaxed)
}

/// Returns the requests that this thread is working on.
pub fn current() -> Option<Arc<LogContext>> {
    CURRENT.with(|current| {
        let log_context = current.take();
        current.set(log_context.clone());
        log_context
    })
}

/// Sets the requests that this thread is working on, and returns the previous ones.
pub(super) fn replace(log_context: Option<Arc<LogContext>>) -> Option<Arc<LogContext>> {
    // Fails only while the thread ends.
    CURRENT
        .try_with(|current| current.replace(log_context))
        .ok()?
}

impl LogContext {
    /// Merges several values; a single one is returned as it is.
    pub(super) fn of<'a>(mut each: impl Iterator<Item = &'a Arc<Self>>) -> Option<Arc<Self>> {
        let first = each.next()?;
        let mut all: Option<Self> = None;
        for other in each {
            let all = all.get_or_insert_with(|| Self::clone(first));
            add(&mut all.requests, &other.requests);
            add(&mut all.traces, &other.traces);
        }
        Some(all.map_or_else(|| Arc::clone(first), Arc::new))
    }
}

fn add<T: Clone + PartialEq>(all: &mut Vec<T>, others: &[T]) {
    for other in others {
        if all.len() < MAX_IDS && !all.contains(other) {
            all.push(other.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_of_listed_requests_is_bounded() {
        let log_context = |id: u32| {
            Arc::new(LogContext {
                model: "M".into(),
                requests: vec![id.to_string()],
                traces: vec![7],
            })
        };
        let one = log_context(1);
        assert!(Arc::ptr_eq(
            &LogContext::of([&one].into_iter()).unwrap(),
            &one
        ));
        let many: Vec<_> = (0..100).map(|id| log_context(id % 50)).collect();
        let all = LogContext::of(many.iter()).unwrap();
        let expected: Vec<_> = (0..32).map(|id| id.to_string()).collect();
        assert_eq!((&all.requests, &all.traces), (&expected, &vec![7]));
    }
}
