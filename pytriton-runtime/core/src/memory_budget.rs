//! The memory that requests and responses may occupy at the same time.
//!
//! A step that allocates in proportion to client input or model output reserves the bytes here
//! first. The reservation is a [`MemoryPermit`], which lives as long as the allocation.

mod permit;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use thiserror::Error;

use crate::heap::{keeps_little, trim};

pub use permit::MemoryPermit;

/// Values below this size are not counted: the limit on the number of requests bounds them, and
/// small requests are served when the budget is full.
pub const MIN_TRACKED_BYTES: usize = 4 << 10;

/// A peak of at least this size may leave free memory in the allocator that is worth returning to
/// the system.
const TRIM_THRESHOLD_BYTES: usize = 16 << 20;

/// How long usage must stay low before memory is returned to the system.
const TRIM_DELAY: Duration = Duration::from_secs(1);

/// The least time between two returns while a small budget is in use.
const SMALL_TRIM_DELAY: Duration = Duration::from_millis(100);

/// A limit on the bytes that are reserved at the same time, and the current usage.
#[derive(Debug)]
pub struct MemoryBudget {
    limit: usize,
    reserved: AtomicUsize,
    /// The highest usage since memory was last returned to the system.
    peak: AtomicUsize,
    /// The bytes that were freed since then, if memory is returned while the budget is in use.
    freed: AtomicUsize,
    trimming: AtomicBool,
    /// Whether memory is returned to the system while the budget is in use.
    trims_in_use: bool,
}

/// A reservation was refused because it would exceed the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "the server cannot hold {bytes} more bytes of requests and responses: the limit is {limit} bytes. Use --max-bytes-in-flight to increase the limit."
)]
pub struct MemoryBudgetError {
    /// The number of bytes that were requested.
    pub bytes: usize,
    /// The limit of the budget, in bytes.
    pub limit: usize,
}

impl MemoryBudget {
    /// Creates a budget of `limit` bytes.
    pub fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            reserved: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
            freed: AtomicUsize::new(0),
            trimming: AtomicBool::new(false),
            trims_in_use: keeps_little(limit),
        })
    }

    /// The number of bytes that may be reserved at the same time.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// The number of bytes that are reserved now.
    pub fn reserved(&self) -> usize {
        self.reserved.load(Ordering::Relaxed)
    }

    /// The highest usage, for the fuzz targets.
    #[doc(hidden)]
    pub fn peak(&self) -> usize {
        self.peak.load(Ordering::Relaxed)
    }

    /// Reserves `bytes`. An error reports `wanted`, the bytes of the caller's request.
    fn acquire(&self, bytes: usize, wanted: usize) -> Result<(), MemoryBudgetError> {
        let acquired =
            self.reserved
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |reserved| {
                    reserved
                        .checked_add(bytes)
                        .filter(|reserved| *reserved <= self.limit)
                });
        let before = acquired.map_err(|_| MemoryBudgetError {
            bytes: wanted,
            limit: self.limit,
        })?;
        self.peak.fetch_max(before + bytes, Ordering::Relaxed);
        Ok(())
    }

    fn return_bytes(self: &Arc<Self>, bytes: usize) {
        let left = self.reserved.fetch_sub(bytes, Ordering::Relaxed) - bytes;
        if self.trims_in_use {
            self.freed.fetch_add(bytes, Ordering::Relaxed);
        }
        if self.should_trim(left) && !self.trimming.swap(true, Ordering::Relaxed) {
            let budget = Arc::clone(self);
            let thread = thread::Builder::new().name("trim".to_owned());
            if thread.spawn(move || budget.trim_after_delay()).is_err() {
                // The memory is returned after the next burst.
                self.trimming.store(false, Ordering::Relaxed);
            }
        }
    }

    /// Whether free memory of the allocator is worth returning: after a burst, or, if the budget is
    /// small, during one, as the free memory may exceed the budget.
    fn should_trim(&self, reserved: usize) -> bool {
        let peak = self.peak.load(Ordering::Relaxed);
        let is_over = peak >= TRIM_THRESHOLD_BYTES && reserved < peak / 4;
        is_over || self.trims_in_use && self.freed.load(Ordering::Relaxed) >= TRIM_THRESHOLD_BYTES
    }

    fn trim_after_delay(&self) {
        let delay = match self.trims_in_use {
            true => SMALL_TRIM_DELAY,
            false => TRIM_DELAY,
        };
        loop {
            thread::sleep(delay);
            if self.should_trim(self.reserved()) {
                self.peak.store(self.reserved(), Ordering::Relaxed);
                self.freed.store(0, Ordering::Relaxed);
                trim();
            }
            self.trimming.store(false, Ordering::Relaxed);
            // More may have been freed in the meantime while `trimming` was set.
            if !self.should_trim(self.reserved()) || self.trimming.swap(true, Ordering::Relaxed) {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: usize = 1 << 10;

    #[test]
    fn reservations_never_exceed_the_limit() {
        let budget = MemoryBudget::new(100 * KIB);
        let one = budget.reserve(60 * KIB).unwrap();
        let error = budget.reserve(41 * KIB).unwrap_err();
        assert_eq!((error.bytes, error.limit), (41 * KIB, 100 * KIB));
        let mut two = budget.empty_permit();
        two.grow(40 * KIB).unwrap();
        two.grow(1).unwrap_err();
        assert_eq!(budget.reserved(), 100 * KIB);
        drop(one);
        two.grow(60 * KIB).unwrap();
        two.resize(101 * KIB).unwrap_err();
        two.resize(30 * KIB).unwrap();
        assert_eq!(budget.reserved(), 30 * KIB);
        two.check(70 * KIB).unwrap();
        two.check(70 * KIB + 1).unwrap_err();
        two.check(usize::MAX).unwrap_err();
        assert_eq!(budget.reserved(), 30 * KIB);
        two.release();
        assert_eq!(budget.reserved(), 0);
        two.grow(usize::MAX).unwrap_err();
        drop(two);
        assert_eq!(budget.reserved(), 0);
    }

    #[test]
    fn memory_is_trimmed_after_a_burst() {
        let budget = MemoryBudget::new(usize::MAX);
        let some = budget.reserve(TRIM_THRESHOLD_BYTES / 8).unwrap();
        assert!(!budget.should_trim(0));
        let burst = budget.reserve(TRIM_THRESHOLD_BYTES).unwrap();
        assert!(!budget.should_trim(budget.reserved()));
        drop(burst);
        assert!(budget.should_trim(budget.reserved()));
        drop(some);
        while budget.should_trim(0) {
            thread::sleep(TRIM_DELAY / 10);
        }
    }

    #[test]
    fn memory_of_a_small_budget_is_trimmed_while_it_is_in_use() {
        for (limit, is_small) in [(4 * TRIM_THRESHOLD_BYTES, true), (usize::MAX, false)] {
            let budget = MemoryBudget::new(limit);
            // No thread is started.
            budget.trimming.store(true, Ordering::Relaxed);
            let _used = budget.reserve(TRIM_THRESHOLD_BYTES).unwrap();
            drop(budget.reserve(TRIM_THRESHOLD_BYTES - 1).unwrap());
            assert!(!budget.should_trim(budget.reserved()));
            drop(budget.reserve(MIN_TRACKED_BYTES).unwrap());
            let trims = is_small && cfg!(all(target_os = "linux", target_env = "gnu"));
            assert_eq!(budget.should_trim(budget.reserved()), trims, "{limit}");
            if trims {
                budget.trim_after_delay();
                assert!(!budget.should_trim(budget.reserved()));
            }
        }
    }

    #[test]
    fn small_values_are_not_counted_and_not_refused() {
        let budget = MemoryBudget::new(8 * KIB);
        let full = budget.reserve(8 * KIB).unwrap();
        assert!(budget.reserve(2 * KIB).unwrap().is_none());
        let mut permit = budget.empty_permit();
        for _ in 0..7 {
            permit.grow(KIB / 2).unwrap();
        }
        permit.grow(KIB / 2).unwrap_err();
        assert_eq!((permit.bytes(), budget.reserved()), (7 * KIB / 2, 8 * KIB));
        drop(full);
        // From its fourth KiB on a value is counted with all that it had before.
        permit.grow(KIB).unwrap();
        assert_eq!(budget.reserved(), 9 * KIB / 2);
        permit.shrink_to(2 * KIB);
        assert_eq!((permit.bytes(), budget.reserved()), (2 * KIB, 0));
        let mut other = budget.permit(3 * KIB).unwrap();
        other.absorb(permit).unwrap();
        assert_eq!((other.bytes(), budget.reserved()), (5 * KIB, 5 * KIB));
        drop(other);
        assert_eq!(budget.reserved(), 0);
    }

    #[test]
    fn an_exact_permit_counts_from_the_first_byte() {
        let budget = MemoryBudget::new(8 * KIB);
        let mut exact = budget.exact_permit();
        exact.grow(1).unwrap();
        assert_eq!(budget.reserved(), 1);
    }
}
