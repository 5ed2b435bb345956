use std::sync::Arc;

use bytes::Bytes;

use crate::text::excerpt;

use super::{Region, SharedMemoryError};

/// The location of a tensor in a region. The region stays registered while the section exists.
#[derive(Debug, Clone)]
pub struct Section {
    region: Arc<Region>,
    offset: u64,
    byte_size: usize,
}

impl Section {
    /// Creates a section of `byte_size` bytes from `offset`.
    ///
    /// Source: `SharedMemoryManager::GetMemoryInfo` in Triton 2.51, without its integer overflow.
    ///
    /// # Errors
    ///
    /// Returns [`SharedMemoryError::Offset`] or [`SharedMemoryError::Range`] if the section is not
    /// within the region.
    pub(super) fn new(
        region: &Arc<Region>,
        offset: u64,
        byte_size: u64,
    ) -> Result<Self, SharedMemoryError> {
        let name = || excerpt(region.name());
        if offset >= region.byte_size() {
            return Err(SharedMemoryError::Offset { name: name() });
        }
        let range = || SharedMemoryError::Range { name: name() };
        let end = offset.checked_add(byte_size).ok_or_else(range)?;
        if end == 0 || end > region.byte_size() {
            return Err(range());
        }
        Ok(Self {
            region: Arc::clone(region),
            offset,
            byte_size: usize::try_from(byte_size).map_err(|_| range())?,
        })
    }

    /// Returns the size in bytes.
    pub fn byte_size(&self) -> usize {
        self.byte_size
    }

    /// Returns a copy of the bytes, aligned for every element type.
    ///
    /// # Errors
    ///
    /// Returns [`SharedMemoryError::Shrunk`] if the bytes no longer exist, or
    /// [`SharedMemoryError::Access`].
    pub fn read(&self) -> Result<Bytes, SharedMemoryError> {
        self.region.read(self.offset, self.byte_size)
    }

    /// Checks that memory for `length` bytes exists.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub(super) fn check(&self, length: usize) -> Result<(), SharedMemoryError> {
        self.region.check(self.offset, length)
    }

    /// Writes bytes, at most the size of the section. The rest does not change.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub(super) fn write(&self, bytes: &[u8]) -> Result<(), SharedMemoryError> {
        self.region.write(self.offset, bytes)
    }
}
