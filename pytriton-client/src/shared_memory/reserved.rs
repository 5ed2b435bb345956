use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A share of the bytes that a client may use, until it is dropped.
#[derive(Debug)]
pub(super) struct Reserved {
    taken: Arc<AtomicUsize>,
    bytes: usize,
}

impl Reserved {
    /// Reserves bytes; returns `None` if the total would exceed `limit`.
    pub(super) fn new(taken: &Arc<AtomicUsize>, bytes: usize, limit: usize) -> Option<Self> {
        let more = |taken: usize| taken.checked_add(bytes).filter(|all| *all <= limit);
        let reserved = taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        reserved.ok().map(|_| Self {
            taken: Arc::clone(taken),
            bytes,
        })
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        self.taken.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_reserved_than_there_is() {
        let taken = Arc::default();
        let first = Reserved::new(&taken, 6, 10).unwrap();
        assert!(Reserved::new(&taken, 5, 10).is_none());
        assert!(Reserved::new(&taken, usize::MAX, 10).is_none());
        let second = Reserved::new(&taken, 4, 10).unwrap();
        drop((first, second));
        assert_eq!(taken.load(Ordering::Relaxed), 0);
    }
}
