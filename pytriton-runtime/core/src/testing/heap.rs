//! The heap of a thread, measured.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// The bytes that this thread has allocated and not released.
    static BYTES: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

/// The system allocator, with counters for each thread.
struct Measured;

#[global_allocator]
static ALLOCATOR: Measured = Measured;

/// Calls a function. Returns its result and the maximum growth of the heap meanwhile, in bytes.
pub(crate) fn peak<T>(function: impl FnOnce() -> T) -> (T, usize) {
    let before = BYTES.get();
    PEAK.set(before);
    let returned = function();
    let growth = PEAK.get() - before;
    (returned, growth.unsigned_abs())
}

fn count(allocated: usize, released: usize) {
    let bytes = BYTES.get() + allocated.cast_signed() - released.cast_signed();
    BYTES.set(bytes);
    PEAK.set(PEAK.get().max(bytes));
}

fn allocated(pointer: *mut u8, size: usize) -> *mut u8 {
    if !pointer.is_null() {
        count(size, 0);
    }
    pointer
}

// SAFETY: all calls are forwarded to the system allocator unchanged, and counting does not
// allocate.
unsafe impl GlobalAlloc for Measured {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds the contract.
        allocated(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        allocated(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(0, layout.size());
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // The old and the new allocation may exist at the same time.
        // SAFETY: as above.
        let pointer = allocated(unsafe { System.realloc(pointer, layout, size) }, size);
        if !pointer.is_null() {
            count(0, layout.size());
        }
        pointer
    }
}
