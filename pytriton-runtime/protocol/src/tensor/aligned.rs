use std::collections::TryReserveError;

use ::bytes::Bytes;

/// A buffer in which one position is aligned for every element type.
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
    /// The alignment of the widest element type.
    pub const ALIGNMENT: usize = align_of::<u64>();

    /// Creates a buffer for `capacity` bytes in which the byte at `aligned_at` is aligned.
    ///
    /// Writing more bytes is allowed, but may lose the alignment.
    #[inline]
    pub fn with_capacity(capacity: usize, aligned_at: usize) -> Self {
        // The memory is not zeroed, as a vector of wider elements would require.
        let bytes = Vec::with_capacity(capacity.saturating_add(Self::ALIGNMENT));
        Self::within(bytes, aligned_at)
    }

    /// Like [`with_capacity`](Self::with_capacity), but fallible.
    ///
    /// # Errors
    ///
    /// Returns [`TryReserveError`] if the memory cannot be allocated.
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

    /// Calls `read` with spare capacity until the buffer contains `length` bytes or `read` returns
    /// 0. Returns the number of bytes in the buffer.
    ///
    /// # Errors
    ///
    /// Returns the error of `read`.
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

    /// Returns the number of bytes that have been written.
    #[inline]
    pub fn len(&self) -> usize {
        self.bytes.len() - self.start
    }

    /// Returns whether no byte has been written.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Converts the buffer to shared bytes without a copy.
    #[inline]
    pub fn freeze(self) -> Bytes {
        Bytes::from(self.bytes).slice(self.start..)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requested_offset_is_aligned() {
        for len in [0, 1, 7, 8, 9, 4096] {
            for at in 0..=len.min(20) {
                let mut buffer = AlignedBuffer::with_capacity(len, at);
                assert!(buffer.is_empty());
                for byte in 0..len {
                    buffer.extend_from_slice(&[byte.to_le_bytes()[0]]);
                }
                assert_eq!(buffer.len(), len);
                assert_eq!(buffer.is_empty(), len == 0);
                let bytes = buffer.freeze();
                assert_eq!(bytes.len(), len);
                let place = bytes[at..].as_ptr();
                assert_eq!(place.align_offset(AlignedBuffer::ALIGNMENT), 0);
            }
        }
    }

    #[test]
    fn fill_reads_until_the_length_or_the_end() {
        // The length, the sizes that are read, the expected length, and the number of reads.
        let table: [(usize, &[usize], usize, usize); 6] = [
            (0, &[1], 0, 0),
            (5, &[2, 3, 1], 5, 2),
            (5, &[2, 1, 0, 2], 3, 3),
            (5, &[2, 9], 5, 2),
            (5, &[0], 0, 1),
            (1, &[1, 1], 1, 1),
        ];
        for (length, sizes, expected, reads) in table {
            let mut buffer = AlignedBuffer::with_capacity(length, 1);
            assert!(buffer.start > 1);
            let mut left = sizes.iter();
            let filled = buffer.fill(length, |bytes, filled| {
                let size = *left.next().unwrap();
                assert_eq!(
                    filled,
                    sizes[..sizes.len() - left.len() - 1].iter().sum::<usize>()
                );
                bytes.extend(vec![1; size]);
                Ok::<_, ()>(size)
            });
            assert_eq!(filled, Ok(expected), "{length} {sizes:?}");
            assert_eq!(sizes.len() - left.len(), reads, "{length} {sizes:?}");
            assert_eq!(buffer.is_empty(), expected == 0);
            assert_eq!(buffer.freeze(), vec![1; expected]);
        }
        let mut buffer = AlignedBuffer::with_capacity(1, 0);
        assert_eq!(buffer.fill(1, |_, _| Err("broken")), Err("broken"));
    }
}
