//! How many bytes of requests and responses the process holds at a time, whatever their number.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use std::{mem, thread};

use thiserror::Error;

use crate::heap::trim;

/// So few bytes are not counted once they have all come: the number of requests bounds them.
const UNCOUNTED: usize = 4 << 10;

/// A burst of so many bytes may leave memory behind that is worth giving back, when nothing has come for that long.
const SURPLUS: usize = 16 << 20;
const REST: Duration = Duration::from_secs(1);

/// The bytes that may be held, and those that are.
#[derive(Debug)]
pub struct Budget {
    limit: usize,
    held: AtomicUsize,
    /// The most that has been held since the last time that memory was given back.
    peak: AtomicUsize,
    giving_back: AtomicBool,
}

/// More bytes than may be held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "the server has no room for {bytes} more bytes of requests and responses, its limit is {limit}. Use --max-bytes-in-flight to increase the limit."
)]
pub struct BudgetError {
    /// How many were to be held besides.
    pub bytes: usize,
    /// How many may be held.
    pub limit: usize,
}

/// Bytes that are held until this is dropped.
#[derive(Debug)]
pub struct Held {
    budget: Arc<Budget>,
    bytes: usize,
}

impl Budget {
    /// A budget of so many bytes.
    pub fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            held: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
            giving_back: AtomicBool::new(false),
        })
    }

    /// How many bytes are held.
    pub fn held(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }

    /// Nothing as yet of something that grows.
    pub fn nothing(self: &Arc<Self>) -> Held {
        Held {
            budget: Arc::clone(self),
            bytes: 0,
        }
    }

    /// Holds what is there already; `None` where it is so little that it is not counted.
    ///
    /// # Errors
    ///
    /// [`BudgetError`].
    pub fn hold(self: &Arc<Self>, bytes: usize) -> Result<Option<Arc<Held>>, BudgetError> {
        if bytes < UNCOUNTED {
            return Ok(None);
        }
        let mut held = self.nothing();
        held.grow(bytes)?;
        Ok(Some(Arc::new(held)))
    }

    fn take(&self, bytes: usize) -> Result<(), BudgetError> {
        let taken = self
            .held
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |held| {
                held.checked_add(bytes).filter(|held| *held <= self.limit)
            });
        let limit = self.limit;
        let before = taken.map_err(|_| BudgetError { bytes, limit })?;
        self.peak.fetch_max(before + bytes, Ordering::Relaxed);
        Ok(())
    }

    fn give(self: &Arc<Self>, bytes: usize) {
        let left = self.held.fetch_sub(bytes, Ordering::Relaxed) - bytes;
        if self.surplus(left) && !self.giving_back.swap(true, Ordering::Relaxed) {
            let budget = Arc::clone(self);
            let thread = thread::Builder::new().name("surplus".to_owned());
            if thread.spawn(move || budget.give_back()).is_err() {
                // The memory stays until the next burst is over.
                self.giving_back.store(false, Ordering::Relaxed);
            }
        }
    }

    /// Whether a burst is over that may have left memory behind which the allocator keeps.
    fn surplus(&self, held: usize) -> bool {
        let peak = self.peak.load(Ordering::Relaxed);
        peak >= SURPLUS && held < peak / 4
    }

    fn give_back(&self) {
        loop {
            thread::sleep(REST);
            if self.surplus(self.held()) {
                self.peak.store(self.held(), Ordering::Relaxed);
                trim();
            }
            self.giving_back.store(false, Ordering::Relaxed);
            // Another may have ended just now, and seen that this one was at work.
            if !self.surplus(self.held()) || self.giving_back.swap(true, Ordering::Relaxed) {
                return;
            }
        }
    }
}

impl Held {
    /// Holds so many bytes more.
    ///
    /// # Errors
    ///
    /// [`BudgetError`]; what was held before still is.
    pub fn grow(&mut self, bytes: usize) -> Result<(), BudgetError> {
        self.budget.take(bytes)?;
        self.bytes += bytes;
        Ok(())
    }

    /// Says whether so many bytes more could be held now, and holds none of them: they may never come.
    ///
    /// # Errors
    ///
    /// [`BudgetError`].
    pub fn check(&self, bytes: usize) -> Result<(), BudgetError> {
        match bytes <= self.room() {
            true => Ok(()),
            false => Err(self.missing(bytes)),
        }
    }

    /// How many bytes more could be held now.
    pub fn room(&self) -> usize {
        self.budget.limit.saturating_sub(self.budget.held())
    }

    /// What is said where there is no memory for so many bytes more.
    pub fn missing(&self, bytes: usize) -> BudgetError {
        let limit = self.budget.limit;
        BudgetError { bytes, limit }
    }

    /// Holds so many bytes instead.
    ///
    /// # Errors
    ///
    /// [`BudgetError`] where they are more; what was held before still is.
    pub fn resize(&mut self, bytes: usize) -> Result<(), BudgetError> {
        if let Some(more) = bytes.checked_sub(self.bytes) {
            return self.grow(more);
        }
        let fewer = self.bytes - bytes;
        self.bytes = bytes;
        self.budget.give(fewer);
        Ok(())
    }

    /// All of it for somebody else; this holds nothing then.
    pub fn take(&mut self) -> Self {
        let nothing = self.budget.nothing();
        mem::replace(self, nothing)
    }

    /// Holds nothing any longer.
    pub fn release(&mut self) {
        self.budget.give(mem::take(&mut self.bytes));
    }

    /// The same for several owners; `None` where it is so little that it is not counted.
    pub fn share(self) -> Option<Arc<Self>> {
        (self.bytes >= UNCOUNTED).then(|| Arc::new(self))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.release();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: usize = 1 << 10;

    #[test]
    fn no_more_is_held_than_may_be() {
        let budget = Budget::new(100 * KIB);
        let one = budget.hold(60 * KIB).unwrap();
        let error = budget.hold(41 * KIB).unwrap_err();
        assert_eq!((error.bytes, error.limit), (41 * KIB, 100 * KIB));
        let mut two = budget.nothing();
        two.grow(40 * KIB).unwrap();
        two.grow(1).unwrap_err();
        assert_eq!(budget.held(), 100 * KIB);
        drop(one);
        two.grow(60 * KIB).unwrap();
        two.resize(101 * KIB).unwrap_err();
        two.resize(30 * KIB).unwrap();
        assert_eq!(budget.held(), 30 * KIB);
        two.check(70 * KIB).unwrap();
        two.check(70 * KIB + 1).unwrap_err();
        two.check(usize::MAX).unwrap_err();
        assert_eq!(budget.held(), 30 * KIB);
        two.release();
        assert_eq!(budget.held(), 0);
        two.grow(usize::MAX).unwrap_err();
        drop(two);
        assert_eq!(budget.held(), 0);
    }

    #[test]
    fn a_burst_that_is_over_leaves_a_surplus() {
        let budget = Budget::new(usize::MAX);
        let some = budget.hold(SURPLUS / 8).unwrap();
        assert!(!budget.surplus(0));
        let burst = budget.hold(SURPLUS).unwrap();
        assert!(!budget.surplus(budget.held()));
        drop(burst);
        assert!(budget.surplus(budget.held()));
        drop(some);
        while budget.surplus(0) {
            thread::sleep(REST / 10);
        }
    }

    #[test]
    fn little_is_not_counted_once_it_is_there() {
        let budget = Budget::new(KIB);
        assert!(budget.hold(2 * KIB).unwrap().is_none());
        let mut held = budget.nothing();
        held.grow(KIB).unwrap();
        assert_eq!(budget.held(), KIB);
        assert!(held.share().is_none());
        assert_eq!(budget.held(), 0);
    }
}
