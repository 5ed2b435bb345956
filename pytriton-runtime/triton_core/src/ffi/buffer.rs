use std::cell::UnsafeCell;
use std::ffi::c_void;
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
    /// Zeroed, so that a backend that does not fill its outputs reveals nothing.
    memory: Box<[UnsafeCell<u8>]>,
    /// The index of the first aligned byte.
    start: usize,
    size: usize,
    /// Passes to the bytes when they are read.
    permit: Mutex<MemoryPermit>,
}

// SAFETY: Triton writes before it completes the response, and Rust reads after that (invariant 5 of
// the parent module), so there are no concurrent accesses to the cells.
unsafe impl Send for OutputBuffer {}
// SAFETY: as above.
unsafe impl Sync for OutputBuffer {}

impl OutputBuffer {
    /// Allocates an output after its memory is reserved.
    pub(super) fn new(
        size: usize,
        budget: Option<&Arc<MemoryBudget>>,
    ) -> Result<Arc<Self>, MemoryBudgetError> {
        let mut permit = MemoryPermit::within(budget);
        let needed = size.checked_add(ALIGNMENT - 1);
        let needed = needed.filter(|needed| isize::try_from(*needed).is_ok());
        let needed = needed.ok_or_else(|| permit.refusal(size))?;
        permit.grow(size)?;
        let memory = vec![0_u8; needed].into_boxed_slice();
        let memory = Box::into_raw(memory) as *mut [UnsafeCell<u8>];
        // SAFETY: the pointer is that of the box above, and `UnsafeCell<u8>` has the layout of `u8`.
        let memory = unsafe { Box::from_raw(memory) };
        // Aligning a byte needs less than the alignment; `min` only guards against the case that
        // the offset is unknown, which the standard library permits.
        let start = memory.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT - 1);
        Ok(Arc::new(Self {
            memory,
            start,
            size,
            permit: Mutex::new(permit),
        }))
    }

    /// Returns the memory of the output.
    pub(super) fn pointer(&self) -> *mut c_void {
        UnsafeCell::raw_get(self.memory[self.start..].as_ptr()).cast()
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
