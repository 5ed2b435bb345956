//! The memory that requests and responses may occupy at the same time.
//!
//! A step that allocates in proportion to client input or model output reserves the bytes here
//! first. The reservation is a [`MemoryPermit`], which lives as long as the allocation.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use std::{mem, thread};

use thiserror::Error;

use crate::heap::{is_small, trim};
use crate::uncounted::Uncounted;

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
    /// The bytes that were freed since then.
    freed: AtomicUsize,
    trimming: AtomicBool,
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

/// Reserved bytes. They return to the budget when the permit is dropped.
#[derive(Debug)]
pub struct MemoryPermit {
    /// `None` if the memory is not counted.
    budget: Option<Arc<MemoryBudget>>,
    bytes: usize,
    /// Fewer bytes than this are not counted.
    threshold: usize,
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

    /// A permit of zero bytes, for an allocation that grows. It is counted once it has 4 KiB.
    pub fn empty_permit(self: &Arc<Self>) -> MemoryPermit {
        MemoryPermit {
            budget: Some(Arc::clone(self)),
            bytes: 0,
            threshold: MIN_TRACKED_BYTES,
        }
    }

    /// A permit of zero bytes that is counted from its first byte, for values whose number nothing
    /// else limits.
    pub fn exact_permit(self: &Arc<Self>) -> MemoryPermit {
        let mut permit = self.empty_permit();
        permit.threshold = 0;
        permit
    }

    /// Reserves `bytes`, or nothing if the value is too small to be tracked.
    ///
    /// # Errors
    ///
    /// Returns [`MemoryBudgetError`] if the bytes would exceed the limit.
    pub fn permit(self: &Arc<Self>, bytes: usize) -> Result<MemoryPermit, MemoryBudgetError> {
        let mut permit = self.empty_permit();
        permit.grow(bytes)?;
        Ok(permit)
    }

    /// Reserves `bytes`; `None` if the value is too small to be tracked.
    ///
    /// # Errors
    ///
    /// Returns [`MemoryBudgetError`] if the bytes would exceed the limit.
    pub fn reserve(
        self: &Arc<Self>,
        bytes: usize,
    ) -> Result<Option<Arc<MemoryPermit>>, MemoryBudgetError> {
        Ok(self.permit(bytes)?.share())
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
        self.freed.fetch_add(bytes, Ordering::Relaxed);
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
        is_over
            || is_small(self.limit) && self.freed.load(Ordering::Relaxed) >= TRIM_THRESHOLD_BYTES
    }

    fn trim_after_delay(&self) {
        let delay = match is_small(self.limit) {
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

impl MemoryPermit {
    /// A permit for memory that no budget limits, for one of a few reasons.
    pub const fn uncounted(_: Uncounted) -> Self {
        Self {
            budget: None,
            bytes: 0,
            threshold: 0,
        }
    }

    /// An empty permit of a budget, or of none if the engine has none.
    pub fn within(budget: Option<&Arc<MemoryBudget>>) -> Self {
        budget.map_or(
            Self::uncounted(Uncounted::NoBudget),
            MemoryBudget::empty_permit,
        )
    }

    /// A permit for memory that no budget limits, for tests.
    #[cfg(any(test, feature = "testing"))]
    #[doc(hidden)]
    pub const fn unlimited() -> Self {
        Self::uncounted(Uncounted::NoBudget)
    }

    /// Returns whether no budget limits the memory.
    pub fn is_unlimited(&self) -> bool {
        self.budget.is_none()
    }

    /// Reserves `bytes` more.
    ///
    /// # Errors
    ///
    /// Returns [`MemoryBudgetError`] if they exceed the limit; the permit is unchanged then.
    #[inline]
    pub fn grow(&mut self, bytes: usize) -> Result<(), MemoryBudgetError> {
        let total = self.bytes.saturating_add(bytes);
        if total >= self.threshold
            && let Some(budget) = &self.budget
        {
            budget.acquire(total - self.counted(), bytes)?;
        }
        self.bytes = total;
        Ok(())
    }

    /// How many of the bytes are counted in the budget.
    fn counted(&self) -> usize {
        match self.bytes >= self.threshold {
            true => self.bytes,
            false => 0,
        }
    }

    /// Checks whether `bytes` more could be reserved now, without reserving them.
    ///
    /// # Errors
    ///
    /// Returns [`MemoryBudgetError`] if the bytes would exceed the limit.
    pub fn check(&self, bytes: usize) -> Result<(), MemoryBudgetError> {
        let small = self.bytes.saturating_add(bytes) < self.threshold;
        match small || bytes <= self.available() {
            true => Ok(()),
            false => Err(self.refusal(bytes)),
        }
    }

    /// The number of bytes that could be reserved now.
    pub fn available(&self) -> usize {
        let budget = self.budget.as_ref();
        budget.map_or(usize::MAX, |budget| {
            budget.limit.saturating_sub(budget.reserved())
        })
    }

    /// The error for a reservation of `bytes` more.
    pub fn refusal(&self, bytes: usize) -> MemoryBudgetError {
        let limit = self.budget.as_ref();
        let limit = limit.map_or(usize::MAX, |budget| budget.limit);
        MemoryBudgetError { bytes, limit }
    }

    /// Changes the reservation to `bytes`.
    ///
    /// # Errors
    ///
    /// Returns [`MemoryBudgetError`] if a larger size exceeds the limit. The permit does not change
    /// then.
    pub fn resize(&mut self, bytes: usize) -> Result<(), MemoryBudgetError> {
        if let Some(more) = bytes.checked_sub(self.bytes) {
            return self.grow(more);
        }
        self.shrink_to(bytes);
        Ok(())
    }

    /// Increases the reservation to `bytes`, if it is smaller.
    ///
    /// # Errors
    ///
    /// As [`grow`](Self::grow).
    #[inline]
    pub fn grow_to(&mut self, bytes: usize) -> Result<(), MemoryBudgetError> {
        match bytes.saturating_sub(self.bytes) {
            0 => Ok(()),
            more => self.grow(more),
        }
    }

    /// Reduces the reservation to `bytes`, if it is larger.
    #[inline]
    pub fn shrink_to(&mut self, bytes: usize) {
        if bytes < self.bytes {
            let before = self.counted();
            self.bytes = bytes;
            let fewer = before - self.counted();
            if fewer > 0
                && let Some(budget) = &self.budget
            {
                budget.return_bytes(fewer);
            }
        }
    }

    /// The number of bytes that this permit has reserved.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// An empty permit of the same budget.
    pub fn sibling(&self) -> Self {
        Self {
            budget: self.budget.clone(),
            bytes: 0,
            threshold: self.threshold,
        }
    }

    /// An empty permit of the same budget that is counted from its first byte.
    pub fn exact_sibling(&self) -> Self {
        let mut permit = self.sibling();
        permit.threshold = 0;
        permit
    }

    /// Moves the whole reservation into a new permit and leaves this one empty.
    pub fn take(&mut self) -> Self {
        let empty = self.sibling();
        mem::replace(self, empty)
    }

    /// Moves the reservation of `other`, which is of the same budget, into this permit.
    ///
    /// # Errors
    ///
    /// Returns [`MemoryBudgetError`] if neither was large enough to be counted, both are together,
    /// and that exceeds the limit.
    pub fn absorb(&mut self, mut other: Self) -> Result<(), MemoryBudgetError> {
        let counted = self.counted() + other.counted();
        let mut both = self.sibling();
        both.bytes = self.bytes.saturating_add(other.bytes);
        let missing = both.counted() - counted;
        if missing > 0
            && let Some(budget) = &self.budget
        {
            let acquired = budget.acquire(missing, missing);
            acquired.inspect_err(|_| both.bytes = 0)?;
        }
        (self.bytes, other.bytes) = (both.bytes, 0);
        both.bytes = 0;
        Ok(())
    }

    /// Returns all bytes to the budget.
    pub fn release(&mut self) {
        self.shrink_to(0);
    }

    /// Returns whether any bytes are counted in a budget. Fewer than 4 KiB are not: the limit on
    /// the number of requests bounds their memory.
    pub fn is_counted(&self) -> bool {
        self.budget.is_some() && self.counted() > 0
    }

    /// Shares the permit; `None` if nothing of it is counted.
    pub fn share(self) -> Option<Arc<Self>> {
        self.is_counted().then(|| Arc::new(self))
    }
}

impl Drop for MemoryPermit {
    fn drop(&mut self) {
        self.release();
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
        for (limit, trims) in [(4 * TRIM_THRESHOLD_BYTES, true), (usize::MAX, false)] {
            let budget = MemoryBudget::new(limit);
            let used = budget.reserve(TRIM_THRESHOLD_BYTES).unwrap();
            drop(budget.reserve(TRIM_THRESHOLD_BYTES - 1).unwrap());
            assert!(!budget.should_trim(budget.reserved()));
            drop(budget.reserve(MIN_TRACKED_BYTES).unwrap());
            assert_eq!(budget.should_trim(budget.reserved()), trims, "{limit}");
            while trims && budget.should_trim(budget.reserved()) {
                thread::sleep(SMALL_TRIM_DELAY / 10);
            }
            drop(used);
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
