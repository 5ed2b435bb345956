//! The body of a request while it arrives.

use crate::memory_budget::{MemoryBudgetError, MemoryPermit};
use crate::received_body::ReceivedBody;
use crate::tensor::AlignedBuffer;
use crate::tracked_buffer::TrackedBuffer;

/// The first allocation: a client may not send what it announces.
const FIRST_BYTES: usize = 256 << 10;

/// The maximum capacity relative to the received bytes, beyond the first allocation.
const GROWTH: usize = 4;

/// Bytes of known maximum length while they arrive.
///
/// Memory is reserved before it is allocated, and allocated as the bytes arrive. Bytes that a
/// client announces but does not send take neither memory nor address space. One position can be
/// aligned for every element type.
#[derive(Debug)]
pub struct BodyBuffer {
    /// The bytes, after the padding that aligns them.
    buffer: TrackedBuffer,
    padding: usize,
    aligned_at: Option<usize>,
    /// The maximum length in bytes.
    length: usize,
}

impl BodyBuffer {
    /// Creates an empty buffer for at most `length` bytes. Its memory is added to `permit`.
    pub fn new(permit: MemoryPermit, length: usize, aligned_at: Option<usize>) -> Self {
        Self {
            buffer: TrackedBuffer::new(permit),
            padding: 0,
            aligned_at,
            length,
        }
    }

    /// Adds bytes.
    ///
    /// # Errors
    ///
    /// Returns [`MemoryBudgetError`] if the memory cannot be reserved or allocated.
    #[inline]
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), MemoryBudgetError> {
        if bytes.len() > self.buffer.free() {
            self.grow(bytes.len())?;
        }
        self.buffer.extend_from_slice(bytes)
    }

    /// Returns the number of received bytes.
    pub fn len(&self) -> usize {
        self.as_slice().len()
    }

    /// Returns whether no byte has been received.
    pub fn is_empty(&self) -> bool {
        self.as_slice().is_empty()
    }

    /// Returns the received bytes.
    pub fn as_slice(&self) -> &[u8] {
        &self.buffer.as_slice()[self.padding..]
    }

    /// Returns the complete body.
    pub fn finish(self) -> ReceivedBody {
        self.buffer.into_body(self.padding)
    }

    #[cold]
    fn grow(&mut self, additional: usize) -> Result<(), MemoryBudgetError> {
        // If the bytes move, the padding may need all of its space.
        let spare = self.aligned_at.map_or(0, |_| AlignedBuffer::ALIGNMENT);
        let needed = self.buffer.as_slice().len() + additional + spare;
        let most = needed.max(self.length.saturating_add(spare));
        let times = |factor: usize| self.buffer.capacity().saturating_mul(factor);
        let more = times(GROWTH).max(FIRST_BYTES).min(most).max(needed);
        let less = times(2).min(most).max(needed);
        // At least twice as much, because the bytes are moved each time.
        if self.buffer.grow_to(more).is_err() {
            self.buffer.grow_to(less)?;
        }
        self.align()
    }

    /// Moves the bytes so that the position is aligned, after a reallocation.
    fn align(&mut self) -> Result<(), MemoryBudgetError> {
        let Some(at) = self.aligned_at else {
            return Ok(());
        };
        let place = self.buffer.as_slice().as_ptr().addr().wrapping_add(at);
        let padding = place.wrapping_neg() % AlignedBuffer::ALIGNMENT;
        let length = self.len();
        if padding != self.padding {
            // The allocation has space for any padding, so this does not move the bytes.
            self.buffer.resize(length + padding.max(self.padding))?;
            let bytes = self.buffer.as_mut_slice();
            bytes.copy_within(self.padding..self.padding + length, padding);
            self.buffer.truncate(padding + length);
            self.padding = padding;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::memory_budget::MemoryBudget;

    use super::*;

    const MIB: usize = 1 << 20;

    fn buffer(budget: &Arc<MemoryBudget>, length: usize, at: Option<usize>) -> BodyBuffer {
        BodyBuffer::new(budget.empty_permit(), length, at)
    }

    #[test]
    fn bytes_are_aligned_however_they_arrive() {
        let budget = MemoryBudget::new(usize::MAX);
        for at in 0..9 {
            for length in [9, 5000, 3 * MIB] {
                let bytes: Vec<u8> = (0..length).map(|byte| byte.to_le_bytes()[0]).collect();
                for piece in [1000, length] {
                    let mut buffer = buffer(&budget, length, Some(at));
                    for piece in bytes.chunks(piece) {
                        buffer.push(piece).unwrap();
                    }
                    let mut arrived = buffer.finish();
                    assert_eq!(&arrived[..], bytes);
                    assert_eq!(arrived[at..].as_ptr().align_offset(8), 0);
                    assert_eq!(arrived.parts().1.bytes() >= 4096, length > 4096);
                }
            }
        }
        assert_eq!(budget.reserved(), 0);
    }

    #[test]
    fn announced_bytes_are_not_reserved_before_they_arrive() {
        let budget = MemoryBudget::new(usize::MAX);
        let mut buffer = buffer(&budget, usize::MAX, Some(0));
        assert_eq!((buffer.buffer.capacity(), budget.reserved()), (0, 0));
        buffer.push(b"a").unwrap();
        for _ in 0..40 {
            let arrived = buffer.len().max(FIRST_BYTES / GROWTH);
            let allocated = buffer.buffer.capacity();
            assert!(allocated <= GROWTH * (arrived + AlignedBuffer::ALIGNMENT));
            assert_eq!(budget.reserved(), allocated);
            buffer.push(&[7; MIB / 8]).unwrap();
        }
    }

    #[test]
    fn small_bytes_of_a_large_announcement_need_no_budget() {
        let budget = MemoryBudget::new(MIB);
        let _full = budget.reserve(MIB).unwrap();
        let mut buffer = buffer(&budget, 64 * MIB, Some(1));
        buffer.push(b"small").unwrap();
        assert_eq!(&buffer.finish()[..], b"small");
    }

    #[test]
    fn bytes_that_cannot_be_reserved_are_not_allocated() {
        let budget = MemoryBudget::new(2 * MIB);
        let mut buffer = buffer(&budget, 64 * MIB, None);
        let mut arrived = 0;
        while buffer.push(&[7; MIB / 8]).is_ok() {
            arrived += MIB / 8;
        }
        assert_eq!(buffer.len(), arrived);
        assert!((MIB / 2..2 * MIB).contains(&arrived), "{arrived}");
        assert_eq!(budget.reserved(), buffer.buffer.capacity());
        drop(buffer);
        assert_eq!(budget.reserved(), 0);
    }
}
