//! A growing buffer whose memory is reserved.

use std::mem;

use bytes::Bytes;

use crate::free_bytes::FreeBytes;
use crate::memory_budget::{MIN_TRACKED_BYTES, MemoryBudgetError, MemoryPermit};
use crate::received_body::ReceivedBody;
use crate::tracked_bytes::TrackedBytes;
use crate::uncounted::Uncounted;

/// The initial capacity if nothing is known about the size.
const MIN_CAPACITY: usize = 64;

/// A growing buffer. Memory is reserved before each allocation, and the reservation is never
/// smaller than the capacity.
#[derive(Debug)]
pub struct TrackedBuffer {
    bytes: Vec<u8>,
    permit: MemoryPermit,
}

impl TrackedBuffer {
    /// Creates an empty buffer. `permit` grows with it.
    pub fn new(permit: MemoryPermit) -> Self {
        Self {
            bytes: Vec::new(),
            permit,
        }
    }

    /// Reserves space for `additional` bytes.
    ///
    /// # Errors
    ///
    /// Returns [`MemoryBudgetError`] if the memory cannot be reserved or allocated. The buffer does
    /// not change then.
    #[inline]
    pub fn reserve(&mut self, additional: usize) -> Result<(), MemoryBudgetError> {
        match additional <= self.free() {
            true => Ok(()),
            false => self.grow(additional),
        }
    }

    /// Appends bytes.
    ///
    /// # Errors
    ///
    /// As [`reserve`](Self::reserve).
    #[inline]
    pub fn extend_from_slice(&mut self, bytes: &[u8]) -> Result<(), MemoryBudgetError> {
        self.reserve(bytes.len())?;
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// Returns how many bytes can be appended without an allocation.
    #[inline]
    pub fn free(&self) -> usize {
        self.bytes.capacity() - self.bytes.len()
    }

    /// Returns a writer to the [`free`](Self::free) bytes, for encoders that cannot fail.
    #[inline]
    pub fn free_mut(&mut self) -> FreeBytes<'_> {
        FreeBytes::new(&mut self.bytes)
    }

    /// Returns the appended bytes, to change them.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// Appends zeros, or removes bytes from the end, so that there are `length` bytes.
    ///
    /// # Errors
    ///
    /// As [`reserve`](Self::reserve).
    pub fn resize(&mut self, length: usize) -> Result<(), MemoryBudgetError> {
        self.reserve(length.saturating_sub(self.bytes.len()))?;
        self.bytes.resize(length, 0);
        Ok(())
    }

    /// Removes the bytes after the first `length`. Their memory is kept for others.
    pub fn truncate(&mut self, length: usize) {
        self.bytes.truncate(length);
    }

    /// The bytes that have been allocated.
    pub fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    /// An empty permit of the budget in which the buffer is reserved.
    pub fn sibling(&self) -> MemoryPermit {
        self.permit.sibling()
    }

    /// Moves the bytes into another buffer and leaves this one empty.
    pub fn take(&mut self) -> Self {
        let empty = Self::new(self.sibling());
        mem::replace(self, empty)
    }

    /// Returns the appended bytes.
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the bytes with their reservation, which is reduced to their size.
    pub fn freeze(self) -> TrackedBytes {
        let Self { mut bytes, permit } = self;
        // Growth may leave half of the buffer unused, which must not stay reserved while a client
        // reads.
        if bytes.capacity() - bytes.len() > bytes.len() / 4 + MIN_TRACKED_BYTES {
            bytes.shrink_to_fit();
        }
        let mut permit = permit;
        permit.shrink_to(bytes.capacity());
        TrackedBytes::covered(Bytes::from(bytes), permit)
    }

    /// Returns the bytes and releases their reservation, for the given reason.
    pub fn into_uncounted(self, _: Uncounted) -> Vec<u8> {
        debug_assert!(!self.permit.is_counted(), "the reservation would be lost");
        self.bytes
    }

    /// Returns the bytes from `start` on as a body.
    pub fn into_body(self, start: usize) -> ReceivedBody {
        ReceivedBody::with_permit(Bytes::from(self.bytes).slice(start..), self.permit)
    }

    #[cold]
    fn grow(&mut self, additional: usize) -> Result<(), MemoryBudgetError> {
        let refusal = || self.permit.refusal(additional);
        let needed = self.bytes.len().checked_add(additional);
        let needed = needed.ok_or_else(refusal)?;
        let capacity = self.capacity();
        let wanted = capacity.saturating_mul(2).max(MIN_CAPACITY);
        if self.grow_to(wanted.max(needed)).is_ok() {
            return Ok(());
        }
        // Never by a few bytes only: all others are moved each time.
        let least = needed.max(capacity.saturating_add(capacity / 4));
        self.grow_to(least)
            .map_err(|_| self.permit.refusal(additional))
    }

    /// Moves the bytes to an allocation of `capacity` bytes, which is more than they have.
    ///
    /// # Errors
    ///
    /// As [`reserve`](Self::reserve).
    pub fn grow_to(&mut self, capacity: usize) -> Result<(), MemoryBudgetError> {
        let (length, before) = (self.bytes.len(), self.capacity());
        if capacity < MIN_TRACKED_BYTES {
            self.bytes.reserve_exact(capacity - length);
            return Ok(());
        }
        // The old and the new allocation exist at the same time while the bytes are moved.
        self.permit.grow(capacity)?;
        if self.bytes.try_reserve_exact(capacity - length).is_err() {
            self.permit.shrink_to(self.permit.bytes() - capacity);
            return Err(self.permit.refusal(capacity));
        }
        if before >= MIN_TRACKED_BYTES {
            self.permit.shrink_to(self.permit.bytes() - before);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::memory_budget::MemoryBudget;

    use super::*;

    const KIB: usize = 1 << 10;

    #[test]
    fn allocated_bytes_are_reserved() {
        let budget = MemoryBudget::new(100 * KIB);
        let mut buffer = TrackedBuffer::new(budget.empty_permit());
        for byte in 0..=u8::MAX {
            buffer.extend_from_slice(&[byte; 64]).unwrap();
            let capacity = buffer.bytes.capacity();
            let tracked = if capacity < 4 * KIB { 0 } else { capacity };
            assert_eq!(budget.reserved(), tracked);
        }
        let bytes = buffer.freeze();
        assert_eq!((bytes.len(), budget.reserved()), (16 * KIB, 16 * KIB));
        assert!((0..=u8::MAX).eq(bytes.chunks(64).map(|chunk| chunk[63])));
        drop(bytes);
        assert_eq!(budget.reserved(), 0);
    }

    #[test]
    fn bytes_beyond_the_budget_are_not_allocated() {
        let budget = MemoryBudget::new(100 * KIB);
        let mut buffer = TrackedBuffer::new(budget.empty_permit());
        buffer.extend_from_slice(&[7; 40 * KIB]).unwrap();
        // Both allocations exist while the bytes are moved, so this is the peak.
        buffer.reserve(20 * KIB).unwrap();
        assert_eq!(budget.reserved(), 60 * KIB);
        buffer.extend_from_slice(&[7; 21 * KIB]).unwrap_err();
        buffer.reserve(usize::MAX).unwrap_err();
        assert_eq!(
            (buffer.as_slice().len(), budget.reserved()),
            (40 * KIB, 60 * KIB)
        );
        let bytes = buffer.freeze();
        assert_eq!((bytes.len(), budget.reserved()), (40 * KIB, 40 * KIB));
    }

    #[test]
    fn changes_of_the_length_are_reserved() {
        let budget = MemoryBudget::new(100 * KIB);
        let mut buffer = TrackedBuffer::new(budget.empty_permit());
        buffer.resize(40 * KIB).unwrap();
        assert_eq!(budget.reserved(), 40 * KIB);
        buffer.resize(101 * KIB).unwrap_err();
        buffer.truncate(2);
        buffer.as_mut_slice()[1] = 7;
        assert_eq!(
            (buffer.as_slice(), budget.reserved()),
            (&[0, 7][..], 40 * KIB)
        );
        let free = buffer.free();
        buffer.free_mut().extend_from_slice(&vec![1; free]);
        assert_eq!((buffer.free(), buffer.capacity()), (0, 40 * KIB));
    }

    #[test]
    fn failed_allocation_is_an_error() {
        let budget = MemoryBudget::new(usize::MAX);
        let mut buffer = TrackedBuffer::new(budget.empty_permit());
        buffer.extend_from_slice(b"ab").unwrap();
        buffer.reserve(1 << 62).unwrap_err();
        assert_eq!((buffer.as_slice(), budget.reserved()), (&b"ab"[..], 0));
    }
}
