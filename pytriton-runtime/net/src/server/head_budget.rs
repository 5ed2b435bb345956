use std::sync::Arc;

use pytriton_core::memory_budget::{MemoryBudget, MemoryBudgetError, MemoryPermit};

use crate::server::http_builders::HTTP1_BUFFER_GROWTH;

/// The reserve of a port has this fraction of the memory budget (a divisor), within the limits.
const SHARE_OF_BUDGET: usize = 16;
pub(crate) const MIN_RESERVE_BYTES: usize = 128 << 10;
const MAX_RESERVE_BYTES: usize = 16 << 20;

/// The memory for the heads that arrive at a port.
///
/// Whether a request is a health request is known only after its head has arrived. If requests
/// exhaust the budget, a head of the maximum size therefore gets its memory from a reserve that
/// nothing else uses.
#[derive(Debug, Clone)]
pub(crate) struct HeadBudget {
    budget: Arc<MemoryBudget>,
    reserve: Arc<MemoryBudget>,
    /// How much a permit may take from the reserve.
    max_permit_bytes: usize,
}

/// Reserved memory of the heads of one connection, in the budget or in the reserve.
#[derive(Debug)]
pub(crate) struct HeadPermit {
    budget: MemoryPermit,
    reserve: MemoryPermit,
    max_reserve_bytes: usize,
}

impl HeadBudget {
    /// Creates the memory for heads of at most `max_header_bytes`.
    pub(crate) fn new(budget: &Arc<MemoryBudget>, max_header_bytes: usize) -> Self {
        let reserve = budget.limit() / SHARE_OF_BUDGET;
        Self {
            budget: Arc::clone(budget),
            reserve: MemoryBudget::new(reserve.clamp(MIN_RESERVE_BYTES, MAX_RESERVE_BYTES)),
            max_permit_bytes: HTTP1_BUFFER_GROWTH.saturating_mul(max_header_bytes),
        }
    }

    /// Creates a budget without a reserve.
    #[cfg(test)]
    pub(crate) fn without_reserve(budget: &Arc<MemoryBudget>) -> Self {
        Self::new(budget, 0)
    }

    /// Returns the budget that heads share with requests.
    pub(crate) fn budget(&self) -> &Arc<MemoryBudget> {
        &self.budget
    }

    /// Returns an empty permit.
    pub(crate) fn empty_permit(&self) -> HeadPermit {
        HeadPermit {
            budget: self.budget.empty_permit(),
            reserve: self.reserve.empty_permit(),
            max_reserve_bytes: self.max_permit_bytes,
        }
    }
}

impl HeadPermit {
    /// Changes the reservation to `bytes`.
    ///
    /// # Errors
    ///
    /// Returns [`MemoryBudgetError`] if the budget is exhausted and the bytes exceed the reserve or
    /// the share of the connection in it. The permit does not change then.
    #[inline]
    pub(crate) fn resize(&mut self, bytes: usize) -> Result<(), MemoryBudgetError> {
        self.resize_in_budget(bytes)
            .or_else(|exhausted| self.resize_reserve(bytes, exhausted))
    }

    /// Reserves `bytes` more, but not in the reserve.
    ///
    /// # Errors
    ///
    /// Returns [`MemoryBudgetError`] if the budget is exhausted. The permit does not change then.
    #[inline]
    pub(crate) fn grow_in_budget(&mut self, bytes: usize) -> Result<(), MemoryBudgetError> {
        self.resize_in_budget(self.bytes().saturating_add(bytes))
    }

    fn resize_in_budget(&mut self, bytes: usize) -> Result<(), MemoryBudgetError> {
        self.budget.resize(bytes)?;
        self.reserve.release();
        Ok(())
    }

    #[cold]
    fn resize_reserve(
        &mut self,
        bytes: usize,
        exhausted: MemoryBudgetError,
    ) -> Result<(), MemoryBudgetError> {
        if bytes > self.max_reserve_bytes {
            return Err(exhausted);
        }
        self.reserve.resize(bytes).map_err(|_| exhausted)?;
        self.budget.release();
        Ok(())
    }

    /// Reserves `bytes` more.
    ///
    /// # Errors
    ///
    /// Returns an error like [`resize`](Self::resize).
    #[inline]
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<(), MemoryBudgetError> {
        self.resize(self.bytes().saturating_add(bytes))
    }

    fn bytes(&self) -> usize {
        // One of the two is empty.
        self.budget.bytes() + self.reserve.bytes()
    }

    /// Returns all bytes.
    #[inline]
    pub(crate) fn release(&mut self) {
        self.budget.release();
        self.reserve.release();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: usize = 1 << 10;

    #[test]
    fn heads_use_the_reserve_only_while_the_budget_is_exhausted() {
        let budget = MemoryBudget::new(64 * KIB);
        let heads = HeadBudget::new(&budget, 16 * KIB);
        let full = budget.reserve(60 * KIB).unwrap();
        let reserved = || (budget.reserved() - 60 * KIB, heads.reserve.reserved());
        let mut permit = heads.empty_permit();
        permit.grow(4 * KIB).unwrap();
        assert_eq!(reserved(), (4 * KIB, 0));
        permit.grow(4 * KIB).unwrap();
        assert_eq!(reserved(), (0, 8 * KIB));
        // No more than the largest head.
        permit.resize(32 * KIB).unwrap();
        permit.grow(1).unwrap_err();
        assert_eq!(reserved(), (0, 32 * KIB));
        drop(full);
        permit.resize(33 * KIB).unwrap();
        assert_eq!((budget.reserved(), heads.reserve.reserved()), (33 * KIB, 0));
        permit.release();
        assert_eq!(budget.reserved(), 0);
    }

    #[test]
    fn the_reserve_is_limited() {
        for (limit, expected) in [
            (0, MIN_RESERVE_BYTES),
            (64 << 20, 4 << 20),
            (usize::MAX, MAX_RESERVE_BYTES),
        ] {
            let budget = MemoryBudget::new(limit);
            let _full = budget.reserve(limit).unwrap();
            let heads = HeadBudget::new(&budget, 16 * KIB);
            let permits = (0..1024).map(|_| {
                let mut permit = heads.empty_permit();
                permit.resize(32 * KIB).map(|()| permit)
            });
            let permits: Vec<_> = permits.map_while(Result::ok).collect();
            assert_eq!(permits.len() * 32 * KIB, expected);
        }
    }
}
