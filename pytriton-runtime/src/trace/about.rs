use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The maximum number of requests that are named.
const MOST: usize = 32;

/// Whether log lines name the requests they are about.
static TOLD: AtomicBool = AtomicBool::new(false);

thread_local! {
    static CURRENT: Cell<Option<Arc<About>>> = const { Cell::new(None) };
}

/// The requests that a piece of work is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct About {
    pub(crate) model: Arc<str>,
    /// The request ids that clients have set.
    pub(crate) requests: Vec<String>,
    /// The traces of the requests, if any.
    pub(crate) traces: Vec<u128>,
}

/// Enables naming of requests in log lines.
pub(crate) fn tell() {
    TOLD.store(true, Ordering::Relaxed);
}

/// Returns whether requests are named in log lines.
pub(super) fn is_told() -> bool {
    TOLD.load(Ordering::Relaxed)
}

/// Returns the requests that this thread is working on.
pub(crate) fn current() -> Option<Arc<About>> {
    CURRENT.with(|current| {
        let about = current.take();
        current.set(about.clone());
        about
    })
}

/// Sets the requests that this thread is working on, and returns the previous ones.
pub(super) fn replace(about: Option<Arc<About>>) -> Option<Arc<About>> {
    // Fails only while the thread ends.
    CURRENT.try_with(|current| current.replace(about)).ok()?
}

impl About {
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
        if all.len() < MOST && !all.contains(other) {
            all.push(other.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_are_named_up_to_a_number() {
        let about = |id: u32| {
            Arc::new(About {
                model: "M".into(),
                requests: vec![id.to_string()],
                traces: vec![7],
            })
        };
        let one = about(1);
        assert!(Arc::ptr_eq(&About::of([&one].into_iter()).unwrap(), &one));
        let many: Vec<_> = (0..100).map(|id| about(id % 50)).collect();
        let all = About::of(many.iter()).unwrap();
        let expected: Vec<_> = (0..32).map(|id| id.to_string()).collect();
        assert_eq!((&all.requests, &all.traces), (&expected, &vec![7]));
    }
}
