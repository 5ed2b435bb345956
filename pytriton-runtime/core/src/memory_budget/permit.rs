use std::mem;
use std::sync::Arc;

use crate::uncounted::Uncounted;

use super::{MIN_TRACKED_BYTES, MemoryBudget, MemoryBudgetError};

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
