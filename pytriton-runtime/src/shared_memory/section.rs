use std::sync::Arc;

use bytes::Bytes;

use crate::text::excerpt;

use super::{Region, SharedMemoryError};

/// The place of a tensor in a region, which stays registered as long as this is there.
#[derive(Debug, Clone)]
pub struct Section {
    region: Arc<Region>,
    offset: u64,
    byte_size: usize,
}

impl Section {
    /// So many bytes of a region, from `offset`.
    ///
    /// Source: `SharedMemoryManager::GetMemoryInfo` in Triton 2.51, without what wraps there.
    ///
    /// # Errors
    ///
    /// [`SharedMemoryError::Offset`] and [`SharedMemoryError::Range`] for a place that is not in the region.
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

    /// How many bytes there are.
    pub fn byte_size(&self) -> usize {
        self.byte_size
    }

    /// A copy of them, aligned for every element type.
    ///
    /// # Errors
    ///
    /// [`SharedMemoryError::Shrunk`] where they are no longer there, [`SharedMemoryError::Access`].
    pub fn read(&self) -> Result<Bytes, SharedMemoryError> {
        self.region.read(self.offset, self.byte_size)
    }

    /// Looks whether there is memory for so many bytes.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub(super) fn check(&self, length: usize) -> Result<(), SharedMemoryError> {
        self.region.check(self.offset, length)
    }

    /// Writes bytes, no more than there is room for; what is behind them stays as it is.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub(super) fn write(&self, bytes: &[u8]) -> Result<(), SharedMemoryError> {
        self.region.write(self.offset, bytes)
    }
}
