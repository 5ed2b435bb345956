//! The free bytes of a buffer whose memory is reserved.

use bytes::BufMut;

/// Writes to the free bytes of a [`TrackedBuffer`](crate::tracked_buffer::TrackedBuffer). It never
/// allocates, so the buffer does not outgrow its reservation.
#[derive(Debug)]
pub struct FreeBytes<'b>(&'b mut Vec<u8>);

impl<'b> FreeBytes<'b> {
    pub(crate) fn new(bytes: &'b mut Vec<u8>) -> Self {
        Self(bytes)
    }

    /// Appends a byte.
    ///
    /// # Panics
    ///
    /// Panics if no byte is free.
    #[inline]
    pub fn push(&mut self, byte: u8) {
        self.extend_from_slice(&[byte]);
    }

    /// Appends bytes.
    ///
    /// # Panics
    ///
    /// Panics if fewer bytes are free.
    #[inline]
    pub fn extend_from_slice(&mut self, bytes: &[u8]) {
        let free = self.0.capacity() - self.0.len();
        assert!(bytes.len() <= free, "more is written than was reserved");
        self.0.extend_from_slice(bytes);
    }

    /// Removes the last bytes of the buffer, so that `length` are left.
    #[inline]
    pub fn truncate(&mut self, length: usize) {
        self.0.truncate(length);
    }

    /// Returns all bytes of the buffer.
    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        self.0
    }

    /// Returns a writer for encoders. It panics if more is written than is free.
    #[inline]
    pub fn buf_mut(&mut self) -> impl BufMut {
        let free = self.0.capacity() - self.0.len();
        (&mut *self.0).limit(free)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_capacity(write: impl FnOnce(FreeBytes<'_>)) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(4);
        write(FreeBytes::new(&mut bytes));
        assert_eq!(bytes.capacity(), 4);
        bytes
    }

    #[test]
    fn bytes_are_appended_up_to_the_capacity() {
        let bytes = with_capacity(|mut free| {
            free.push(1);
            free.extend_from_slice(&[2, 3]);
            free.truncate(2);
            assert_eq!(free.as_slice(), [1, 2]);
            free.buf_mut().put_slice(&[4, 5]);
            assert_eq!(free.buf_mut().remaining_mut(), 0);
        });
        assert_eq!(bytes, [1, 2, 4, 5]);
    }

    #[test]
    #[should_panic(expected = "more is written than was reserved")]
    fn more_bytes_than_are_free_are_refused() {
        with_capacity(|mut free| free.extend_from_slice(&[1; 5]));
    }

    #[test]
    #[should_panic(expected = "advance out of bounds")]
    fn encoders_do_not_allocate() {
        with_capacity(|mut free| free.buf_mut().put_slice(&[1; 5]));
    }
}
