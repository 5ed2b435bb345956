use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ffi::c_void;
use std::num::NonZeroUsize;
use std::ptr::NonNull;
use std::sync::Arc;
use std::{mem, slice};

use parking_lot::Mutex;
use pytriton_core::memory_budget::{MemoryBudget, MemoryBudgetError, MemoryPermit};
use pytriton_core::tracked_bytes::TrackedBytes;

/// The alignment of outputs: that of the widest vector registers and of a cache line.
const ALIGNMENT: usize = 64;

/// The memory of an output, which Triton's backends write to, and its reservation.
#[derive(Debug)]
pub(super) struct OutputBuffer {
    /// The allocation. Zeroed, so that a backend that does not fill its outputs reveals nothing.
    memory: NonNull<u8>,
    layout: Layout,
    /// The index of the first aligned byte.
    start: usize,
    size: usize,
    /// Passes to the bytes when they are read.
    permit: Mutex<MemoryPermit>,
}

// SAFETY: Triton writes before it completes the response, and Rust reads after that (invariant 5 of
// the parent module), so there are no concurrent accesses to the memory.
unsafe impl Send for OutputBuffer {}
// SAFETY: as above.
unsafe impl Sync for OutputBuffer {}

impl OutputBuffer {
    /// Allocates an output after its memory is reserved.
    pub(super) fn new(
        size: NonZeroUsize,
        budget: Option<&Arc<MemoryBudget>>,
    ) -> Result<Arc<Self>, MemoryBudgetError> {
        let mut permit = MemoryPermit::within(budget);
        let size = size.get();
        // Aligned here: the allocator would fill aligned memory with zeros, instead of using pages
        // of the system that are zero.
        let needed = size.checked_add(ALIGNMENT - 1);
        let layout = needed.and_then(|needed| Layout::array::<u8>(needed).ok());
        let layout = layout.ok_or_else(|| permit.refusal(size))?;
        permit.grow(size)?;
        // SAFETY: the size of the layout is not 0.
        let memory = unsafe { alloc_zeroed(layout) };
        let memory = NonNull::new(memory).ok_or_else(|| permit.refusal(size))?;
        // Aligning a byte needs less than the alignment; `min` only guards against the case that
        // the offset is unknown, which the standard library permits.
        let start = memory.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT - 1);
        Ok(Arc::new(Self {
            memory,
            layout,
            start,
            size,
            permit: Mutex::new(permit),
        }))
    }

    /// Returns the memory of the output.
    pub(super) fn pointer(&self) -> *mut c_void {
        // SAFETY: `start` is below the alignment, and the memory is larger than `size` by one less
        // than the alignment.
        unsafe { self.memory.as_ptr().add(self.start) }.cast()
    }

    /// Returns the bytes of the output with their reservation, without a copy.
    ///
    /// # Safety
    ///
    /// Triton has completed the response, so that nothing writes to the memory any more.
    pub(super) unsafe fn bytes(self: &Arc<Self>) -> Result<TrackedBytes, MemoryBudgetError> {
        let mut permit = self.permit.lock();
        let none = permit.sibling();
        let permit = mem::replace(&mut *permit, none);
        TrackedBytes::from_owner(Filled(Arc::clone(self)), permit)
    }

    /// Returns the size of the output.
    pub(super) fn size(&self) -> usize {
        self.size
    }
}

impl Drop for OutputBuffer {
    fn drop(&mut self) {
        // SAFETY: the memory was allocated with this layout, and nothing uses it any more: the
        // users of the buffer own a count of it.
        unsafe { dealloc(self.memory.as_ptr(), self.layout) };
    }
}

/// A buffer that a backend has filled.
struct Filled(Arc<OutputBuffer>);

impl AsRef<[u8]> for Filled {
    fn as_ref(&self) -> &[u8] {
        // SAFETY:
        // - The range lies within the memory: `start` is below the alignment, and the memory is
        //   larger than `size` by one less than the alignment.
        // - The memory is initialised, lives as long as `self`, and nothing writes to it any more:
        //   `OutputBuffer::bytes`, the only constructor, requires it.
        unsafe { slice::from_raw_parts(self.0.pointer().cast(), self.0.size) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_sizes_are_refused() {
        for size in [usize::MAX, isize::MAX.unsigned_abs(), 1 << 60] {
            let error = OutputBuffer::new(NonZeroUsize::new(size).unwrap(), None).unwrap_err();
            assert_eq!(error.bytes, size);
        }
    }

    #[test]
    fn memory_is_aligned_and_zeroed() {
        for size in [1, 63, 64, 5000] {
            let buffer = OutputBuffer::new(NonZeroUsize::new(size).unwrap(), None).unwrap();
            assert_eq!(buffer.pointer().align_offset(ALIGNMENT), 0);
            // SAFETY: nothing writes to the memory.
            let bytes = unsafe { buffer.bytes() }.unwrap();
            assert_eq!(bytes.as_ref(), vec![0; size]);
        }
    }
}
