use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A share of the bytes that a client may use, until it is dropped.
#[derive(Debug)]
pub(super) struct Reservation {
    taken: Arc<AtomicUsize>,
    bytes: usize,
}

impl Reservation {
    /// Reserves bytes; returns `None` if the total would exceed `limit`.
    pub(super) fn new(taken: &Arc<AtomicUsize>, bytes: usize, limit: usize) -> Option<Self> {
        let more = |taken: usize| taken.checked_add(bytes).filter(|all| *all <= limit);
        let reservation = taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        reservation.ok().map(|_| Self {
            taken: Arc::clone(taken),
            bytes,
        })
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.taken.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reservations_respect_the_limit() {
        let taken = Arc::default();
        let first = Reservation::new(&taken, 6, 10).unwrap();
        assert!(Reservation::new(&taken, 5, 10).is_none());
        assert!(Reservation::new(&taken, usize::MAX, 10).is_none());
        let second = Reservation::new(&taken, 4, 10).unwrap();
        drop((first, second));
        assert_eq!(taken.load(Ordering::Relaxed), 0);
    }
}
