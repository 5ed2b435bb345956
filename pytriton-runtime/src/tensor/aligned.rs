use ::bytes::Bytes;

/// The widest element is 8 bytes; one unit of a buffer is that wide, so that every element type is aligned in it.
type Unit = u64;

/// Bytes to be filled, aligned for every element type.
///
/// # Examples
///
/// ```
/// # use pytriton_runtime::tensor::AlignedBuffer;
/// let mut buffer = AlignedBuffer::zeroed(3);
/// buffer.as_mut_slice().copy_from_slice(b"abc");
/// assert_eq!(&buffer.freeze()[..], b"abc");
/// ```
#[derive(Debug)]
pub struct AlignedBuffer {
    units: Vec<Unit>,
    len: usize,
}

impl AlignedBuffer {
    /// The alignment of the first byte.
    pub const ALIGNMENT: usize = align_of::<Unit>();

    /// A buffer of `len` zero bytes.
    pub fn zeroed(len: usize) -> Self {
        Self {
            units: vec![0; len.div_ceil(size_of::<Unit>())],
            len,
        }
    }

    /// The bytes, to be written.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.units)[..self.len]
    }

    /// Turns the buffer into shared bytes without copying it.
    pub fn freeze(self) -> Bytes {
        Bytes::from_owner(self)
    }
}

impl AsRef<[u8]> for AlignedBuffer {
    fn as_ref(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.units)[..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_aligned_and_of_the_length_asked_for() {
        for len in [0, 1, 7, 8, 9, 4096] {
            let bytes = AlignedBuffer::zeroed(len).freeze();
            assert_eq!(bytes.len(), len);
            assert_eq!(bytes.as_ptr().align_offset(AlignedBuffer::ALIGNMENT), 0);
        }
    }
}
