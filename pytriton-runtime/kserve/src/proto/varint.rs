/// The maximum size of a varint in bytes.
const MAX_VARINT_BYTES: usize = 10;

/// A protobuf varint that arrives byte by byte.
#[derive(Debug, Clone, Copy)]
pub(super) struct Varint {
    value: u64,
    bytes: usize,
}

impl Varint {
    pub(super) const EMPTY: Self = Self { value: 0, bytes: 0 };

    /// Returns the number if this is its last byte. A number of maximum size is never accepted,
    /// whether or not it fits.
    pub(super) fn push(&mut self, byte: u8) -> Option<u64> {
        self.bytes += 1;
        if self.is_full() {
            return None;
        }
        self.value |= u64::from(byte & 0x7f) << (7 * (self.bytes - 1));
        (byte < 0x80).then_some(self.value)
    }

    /// Returns whether no further byte can belong to it.
    pub(super) fn is_full(&self) -> bool {
        self.bytes >= MAX_VARINT_BYTES
    }

    /// Returns the number of received bytes.
    pub(super) fn len(&self) -> usize {
        self.bytes
    }
}
