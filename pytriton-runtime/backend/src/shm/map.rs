use std::ffi::c_int;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::sys;

/// A shared mapping of a file, from its first byte; unmapped when dropped.
#[derive(Debug)]
pub(super) struct Map {
    base: NonNull<u8>,
    len: AtomicUsize,
}

// SAFETY: the mapping belongs to the process, not to a thread, and `Map` itself never touches its bytes.
unsafe impl Send for Map {}
// SAFETY: as above; a shared `Map` gives out its address, which does not change, and its length, which is an atomic.
unsafe impl Sync for Map {}

impl Map {
    pub(super) fn new(file: &File, len: usize, writable: bool) -> io::Result<Self> {
        let protection = match writable {
            true => sys::PROT_READ | sys::PROT_WRITE,
            false => sys::PROT_READ,
        };
        Self::with(file.as_raw_fd(), len, protection)
    }

    fn with(descriptor: c_int, len: usize, protection: c_int) -> io::Result<Self> {
        let flags = sys::MAP_SHARED | sys::MAP_NORESERVE;
        let null = std::ptr::null_mut();
        // SAFETY: without `MAP_FIXED` no existing mapping is touched, and the kernel checks every argument.
        let base = unsafe { sys::mmap(null, len, protection, flags, descriptor, 0) };
        match NonNull::new(base.cast::<u8>()) {
            Some(base) if base.as_ptr().addr() != usize::MAX => Ok(Self {
                base,
                len: AtomicUsize::new(len),
            }),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Keeps the first `len` bytes, rounded up to pages, and gives the addresses behind them back.
    ///
    /// # Safety
    ///
    /// Nobody may use an address behind the first `len` bytes from here on.
    pub(super) unsafe fn truncate(&self, len: usize) {
        let keep = len.max(1).next_multiple_of(PAGE);
        // Nobody gets an address of the tail any more, whether or not the system takes it back.
        let before = self.len.fetch_min(keep, Ordering::Relaxed);
        if keep < before {
            let tail = self.base.as_ptr().wrapping_add(keep);
            // SAFETY:
            // - `[keep, before)` is a part of this mapping, on page boundaries, which no other call has given back.
            // - Nobody uses it, by the caller's word.
            unsafe { sys::munmap(tail.cast(), before - keep) };
        }
    }

    pub(super) fn base(&self) -> NonNull<u8> {
        self.base
    }

    pub(super) fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed)
    }

    /// The address of `len` bytes from `offset`; `None` when they are not all in the mapping.
    pub(super) fn at(&self, offset: usize, len: usize) -> Option<NonNull<u8>> {
        let end = offset.checked_add(len)?;
        if end > self.len() {
            return None;
        }
        NonNull::new(self.base.as_ptr().wrapping_add(offset))
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // SAFETY: the mapping is this value's own, and nobody borrows from a value that is being dropped.
        let unmapped = unsafe { sys::munmap(self.base.as_ptr().cast(), self.len()) };
        debug_assert_eq!(unmapped, 0, "the mapping was made by `mmap`");
    }
}

/// The granularity of lengths. Larger pages of other machines are multiples of it, and of segments' lengths divisors.
pub(super) const PAGE: usize = 64 << 10;
