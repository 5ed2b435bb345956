//! The memory check: a decoder reserves memory before it allocates it.

use std::sync::Arc;

use pytriton_runtime::memory_budget::MemoryBudget;

use crate::allocator::measure;

/// The budget for one input. A budget with a higher peak starts a thread that returns memory to the
/// system.
const LIMIT: usize = 15 << 20;

/// The memory that a decoder may allocate without a reservation: values below 4 KiB, which are not
/// tracked, and error texts.
pub(crate) const UNTRACKED: usize = 32 << 10;

/// Runs a decoder that reserves all memory that it allocates, except for `constant` bytes. If it
/// reserves memory, it runs again with a budget of half the peak.
///
/// # Panics
///
/// Panics if it has allocated more than that at any moment, or if a reservation outlives its
/// result.
pub(crate) fn reserved<T>(constant: usize, work: impl Fn(&Arc<MemoryBudget>) -> T) -> T {
    let (result, peak) = within(LIMIT, constant, &work);
    if peak > 0 {
        within(peak / 2, constant, &work);
    }
    result
}

/// Runs a decoder of input that does not come from clients. It reserves nothing and may allocate
/// `per_byte` bytes for each byte of its input, and [`UNTRACKED`].
pub(crate) fn bounded<T>(bytes: &[u8], per_byte: usize, work: impl Fn(&[u8]) -> T) -> T {
    within_constant(UNTRACKED + per_byte * bytes.len(), || work(bytes))
}

/// Runs work that reserves nothing and may allocate `constant` bytes.
pub(crate) fn within_constant<T>(constant: usize, work: impl Fn() -> T) -> T {
    within(LIMIT, constant, |_| work()).0
}

/// Runs a decoder within a budget, and returns its highest usage.
fn within<T>(limit: usize, constant: usize, work: impl Fn(&Arc<MemoryBudget>) -> T) -> (T, usize) {
    let budget = MemoryBudget::new(limit);
    let (result, excess) = measure(&budget, || work(&budget));
    assert!(
        excess <= constant,
        "{excess} bytes were allocated that were not reserved at that time; {constant} need no reservation"
    );
    assert_eq!(budget.reserved(), 0, "a reservation outlives its result");
    (result, budget.peak())
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::*;

    #[test]
    fn memory_without_a_reservation_fails() {
        let allocate = |reservation: usize| {
            let run = move || {
                reserved(0, |budget| {
                    let mut permit = budget.empty_permit();
                    permit.grow(reservation).map(|()| vec![0_u8; 10_000])
                })
            };
            catch_unwind(run)
        };
        assert!(allocate(10_000).is_ok());
        assert!(allocate(9_999).is_err());
        assert!(allocate(0).is_err());
    }

    #[test]
    fn an_earlier_reservation_does_not_count() {
        let run = || {
            reserved(0, |budget| {
                drop(budget.permit(10_000));
                vec![0_u8; 10_000]
            })
        };
        assert!(catch_unwind(run).is_err());
    }
}
