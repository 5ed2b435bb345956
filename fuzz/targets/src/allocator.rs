use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr;

use pytriton_runtime::memory_budget::MemoryBudget;

/// The system allocator with a count of the bytes that each thread has allocated.
#[derive(Debug)]
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

thread_local! {
    /// Bytes allocated and not freed. Negative if the thread frees memory that another thread
    /// allocated.
    static USED: Cell<isize> = const { Cell::new(0) };
    /// The budget of the work that `measure` runs, or null.
    static BUDGET: Cell<*const MemoryBudget> = const { Cell::new(ptr::null()) };
    /// The largest difference of `USED` and the reservations of the budget since `measure` began.
    static EXCESS: Cell<isize> = const { Cell::new(0) };
}

/// Reads the budget of a thread during `measure` only.
#[derive(Debug)]
struct Measuring;

impl Measuring {
    fn begin(budget: &MemoryBudget) -> Self {
        BUDGET.set(budget);
        EXCESS.set(USED.get());
        Self
    }
}

impl Drop for Measuring {
    fn drop(&mut self) {
        BUDGET.set(ptr::null());
    }
}

fn add(bytes: usize) {
    // No allocation is larger than `isize::MAX`.
    let used = USED.get().saturating_add_unsigned(bytes);
    USED.set(used);
    let budget = BUDGET.get();
    // SAFETY: not null, so the thread is in `measure`, which borrows the budget.
    let budget = unsafe { budget.as_ref() };
    let reserved = budget.map_or(0, MemoryBudget::reserved);
    EXCESS.set(EXCESS.get().max(used.saturating_sub_unsigned(reserved)));
}

fn subtract(bytes: usize) {
    USED.set(USED.get().saturating_sub_unsigned(bytes));
}

// SAFETY: each call is passed to the system allocator unchanged, and counting does not allocate:
// the thread-local values are constants without destructors, and the reservations are an atomic.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        subtract(layout.size());
        // SAFETY: the caller keeps the contract of `GlobalAlloc::dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // If the call fails, the block stays allocated, but then the process ends anyway.
        subtract(layout.size());
        add(size);
        // SAFETY: the caller keeps the contract of `GlobalAlloc::realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Runs `work` and returns its result and the largest number of bytes that this thread had
/// allocated at any moment in addition to those that were reserved at the same moment.
pub(crate) fn measure<T>(budget: &MemoryBudget, work: impl FnOnce() -> T) -> (T, usize) {
    let before = USED.get();
    let measuring = Measuring::begin(budget);
    let result = work();
    drop(measuring);
    let excess = EXCESS.get().saturating_sub(before);
    (result, usize::try_from(excess).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::*;

    #[test]
    fn peak_is_counted_instead_of_the_sum() {
        let budget = MemoryBudget::new(usize::MAX);
        let (_, peak) = measure(&budget, || {
            for _ in 0..4 {
                drop(black_box(vec![0_u8; 1000]));
            }
            let mut grown: Vec<u8> = Vec::with_capacity(10);
            grown.reserve_exact(black_box(3000));
            grown
        });
        assert_eq!(peak, 3000);
    }
}
