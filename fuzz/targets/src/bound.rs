use std::sync::Arc;

use pytriton_runtime::memory_budget::MemoryBudget;

use crate::allocator::measure;

/// The bytes that a decoder may allocate in addition to its reservation: the state of a
/// decompressor (75 KiB), short names, error texts.
const SLACK: usize = 96 << 10;

/// A limit on the bytes that a decoder may have allocated at any time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bound {
    /// Bytes per byte of input.
    pub(crate) per_byte: usize,
    /// Additional bytes.
    pub(crate) constant: usize,
}

impl Bound {
    /// A bound for decoders that reserve nothing.
    pub(crate) const fn per_byte(per_byte: usize) -> Self {
        Self {
            per_byte,
            constant: SLACK,
        }
    }

    /// Runs a decoder on `length` bytes.
    ///
    /// # Panics
    ///
    /// Panics if it exceeds the bound.
    pub(crate) fn check<T>(self, length: usize, work: impl FnOnce() -> T) -> T {
        let (result, peak) = measure(work);
        let most = self.constant + self.per_byte * length;
        assert!(
            peak <= most,
            "{peak} bytes were allocated for an input of {length} bytes, at most {most} are expected"
        );
        result
    }
}

/// Runs a decoder that reserves what it allocates from a budget of `limit` bytes.
///
/// # Panics
///
/// Panics if it allocates more than it has reserved, or if a reservation outlives its result.
pub(crate) fn reserved<T>(limit: usize, work: impl FnOnce(&Arc<MemoryBudget>) -> T) -> T {
    let budget = MemoryBudget::new(limit);
    let (result, peak) = measure(|| work(&budget));
    let most = budget.peak() + SLACK;
    assert!(
        peak <= most,
        "{peak} bytes were allocated, but only {} were reserved",
        budget.peak()
    );
    result
}
