use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr::NonNull;

use super::sys;

/// A shared mapping of a file from its first byte. It is unmapped on drop, and excluded from core
/// dumps.
#[derive(Debug)]
pub(super) struct Map {
    base: NonNull<u8>,
    len: usize,
}

// SAFETY: the mapping belongs to the process, not to a thread, and `Map` itself never touches its
// bytes.
unsafe impl Send for Map {}
// SAFETY: as above; a shared `Map` only exposes its address and length, which do not change.
unsafe impl Sync for Map {}

impl Map {
    pub(super) fn new(file: &File, len: usize, writable: bool) -> io::Result<Self> {
        let protection = match writable {
            true => sys::PROT_READ | sys::PROT_WRITE,
            false => sys::PROT_READ,
        };
        let flags = sys::MAP_SHARED | sys::MAP_NORESERVE;
        let null = std::ptr::null_mut();
        let descriptor = file.as_raw_fd();
        // SAFETY: without `MAP_FIXED` no existing mapping is touched, and the kernel checks every
        // argument.
        let base = unsafe { sys::mmap(null, len, protection, flags, descriptor, 0) };
        let map = match NonNull::new(base.cast::<u8>()) {
            Some(base) if base.as_ptr().addr() != usize::MAX => Self { base, len },
            _ => return Err(io::Error::last_os_error()),
        };
        // A core dump would fill the holes of the file, which takes as much memory and time as the
        // file is long. SAFETY: the range is the mapping that was made above; the advice changes no
        // byte of it.
        sys::result(unsafe { sys::madvise(base, len, sys::MADV_DONTDUMP) })?;
        Ok(map)
    }

    pub(super) fn base(&self) -> NonNull<u8> {
        self.base
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the address of `len` bytes at `offset`, or `None` if they are not all in the
    /// mapping.
    pub(super) fn at(&self, offset: usize, len: usize) -> Option<NonNull<u8>> {
        let end = offset.checked_add(len)?;
        if end > self.len {
            return None;
        }
        NonNull::new(self.base.as_ptr().wrapping_add(offset))
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // SAFETY: this value owns the mapping, and nothing borrows from a value that is being
        // dropped.
        let unmapped = unsafe { sys::munmap(self.base.as_ptr().cast(), self.len) };
        debug_assert_eq!(unmapped, 0, "the mapping was made by `mmap`");
    }
}

/// The granularity of lengths. Larger page sizes of other machines are multiples of it, and
/// divisors of segment lengths.
pub(super) const PAGE: usize = 64 << 10;
