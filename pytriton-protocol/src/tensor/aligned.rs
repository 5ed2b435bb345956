use std::collections::TryReserveError;

use ::bytes::Bytes;

/// Bytes to be filled from their beginning, of which one place is aligned for every element type.
///
/// # Examples
///
/// ```
/// # use pytriton_protocol::tensor::AlignedBuffer;
/// let mut buffer = AlignedBuffer::with_capacity(5, 2);
/// buffer.extend_from_slice(b"ab");
/// buffer.extend_from_slice(b"cde");
/// let bytes = buffer.freeze();
/// assert_eq!(&bytes[..], b"abcde");
/// assert_eq!(bytes[2..].as_ptr().align_offset(AlignedBuffer::ALIGNMENT), 0);
/// ```
#[derive(Debug)]
pub struct AlignedBuffer {
    bytes: Vec<u8>,
    start: usize,
}

impl AlignedBuffer {
    /// The alignment of the widest element.
    pub const ALIGNMENT: usize = align_of::<u64>();

    /// A buffer for `capacity` bytes, of which the one at `aligned_at` is aligned.
    ///
    /// More bytes than that can be written, but then their place may no longer be an aligned one.
    #[inline]
    pub fn with_capacity(capacity: usize, aligned_at: usize) -> Self {
        // Memory that is not zeroed first, as an aligned vector of wider elements would have to be.
        let bytes = Vec::with_capacity(capacity.saturating_add(Self::ALIGNMENT));
        Self::within(bytes, aligned_at)
    }

    /// The same where there may be no memory for so much.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] where there is none.
    #[inline]
    pub fn try_with_capacity(capacity: usize, aligned_at: usize) -> Result<Self, TryReserveError> {
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(capacity.saturating_add(Self::ALIGNMENT))?;
        Ok(Self::within(bytes, aligned_at))
    }

    #[inline]
    fn within(mut bytes: Vec<u8>, aligned_at: usize) -> Self {
        let place = bytes.as_ptr().addr().wrapping_add(aligned_at);
        let start = place.wrapping_neg() % Self::ALIGNMENT;
        bytes.resize(start, 0);
        Self { bytes, start }
    }

    /// Appends bytes.
    #[inline]
    pub fn extend_from_slice(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Lets `read` append bytes to memory that has room for some more than are missing, and tell how many, until there are
    /// `length` or none comes; returns how many there are.
    ///
    /// # Errors
    ///
    /// That of `read`.
    pub fn fill<E>(
        &mut self,
        length: usize,
        mut read: impl FnMut(&mut Vec<u8>, usize) -> Result<usize, E>,
    ) -> Result<usize, E> {
        while self.len() < length {
            let filled = self.len();
            if read(&mut self.bytes, filled)? == 0 {
                break;
            }
        }
        self.bytes.truncate(self.start + length);
        Ok(self.len())
    }

    /// How many bytes have been written.
    #[inline]
    pub fn len(&self) -> usize {
        self.bytes.len() - self.start
    }

    /// Whether none has been written.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Turns the buffer into shared bytes without copying it.
    #[inline]
    pub fn freeze(self) -> Bytes {
        Bytes::from(self.bytes).slice(self.start..)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_asked_for_is_aligned() {
        for len in [0, 1, 7, 8, 9, 4096] {
            for at in 0..=len.min(20) {
                let mut buffer = AlignedBuffer::with_capacity(len, at);
                assert!(buffer.is_empty());
                for byte in 0..len {
                    buffer.extend_from_slice(&[byte.to_le_bytes()[0]]);
                }
                assert_eq!(buffer.len(), len);
                let bytes = buffer.freeze();
                assert_eq!(bytes.len(), len);
                let place = bytes[at..].as_ptr();
                assert_eq!(place.align_offset(AlignedBuffer::ALIGNMENT), 0);
            }
        }
    }
}
