use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system allocator with a count of the bytes that each thread has allocated.
#[derive(Debug)]
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

thread_local! {
    /// Bytes allocated and not freed. Negative if the thread frees memory that another thread
    /// allocated.
    static USED: Cell<isize> = const { Cell::new(0) };
    /// The largest value of `USED` since `measure` began.
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn add(bytes: usize) {
    // No allocation is larger than `isize::MAX`.
    let used = USED.get().saturating_add_unsigned(bytes);
    USED.set(used);
    PEAK.set(PEAK.get().max(used));
}

fn subtract(bytes: usize) {
    USED.set(USED.get().saturating_sub_unsigned(bytes));
}

// SAFETY: each call is passed to the system allocator unchanged, and counting does not allocate:
// the thread-local values are constants without destructors.
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

/// Runs `work` and returns its result and the peak of bytes that this thread had allocated.
pub(crate) fn measure<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = USED.get();
    PEAK.set(before);
    let result = work();
    let peak = PEAK.get().saturating_sub(before);
    (result, usize::try_from(peak).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::*;

    #[test]
    fn peak_is_counted_instead_of_the_sum() {
        let (_, peak) = measure(|| {
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
