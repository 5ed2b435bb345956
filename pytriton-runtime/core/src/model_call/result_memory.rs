use std::collections::VecDeque;

use parking_lot::Mutex;

use crate::memory_budget::{MIN_TRACKED_BYTES, MemoryBudget, MemoryPermit};

/// The results of a function's calls may count this fraction of the budget (a divisor) in addition
/// to the latest result.
const SHARE_OF_BUDGET: usize = 16;

/// The memory of the results that a function has received from its calls.
///
/// It is reserved until the function returns, because the function owns the results. It may also
/// have dropped them, for example in a loop. If there are too many, the oldest ones no longer count:
/// otherwise a function would fail because of the number of its calls.
#[derive(Debug, Default)]
pub(super) struct ResultMemory(Mutex<Results>);

#[derive(Debug, Default)]
struct Results {
    permits: VecDeque<MemoryPermit>,
    bytes: usize,
}

impl ResultMemory {
    /// Adds the memory of a result.
    pub(super) fn add(&self, permit: MemoryPermit, budget: &MemoryBudget) {
        let bytes = permit.bytes();
        if bytes < MIN_TRACKED_BYTES {
            return;
        }
        let max_bytes = budget.limit() / SHARE_OF_BUDGET;
        let mut results = self.0.lock();
        while results.bytes > max_bytes
            && let Some(oldest) = results.permits.pop_front()
        {
            results.bytes -= oldest.bytes();
        }
        results.bytes += bytes;
        results.permits.push_back(permit);
    }
}
