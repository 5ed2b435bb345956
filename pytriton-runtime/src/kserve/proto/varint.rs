/// The bytes of a number at most.
const MOST: usize = 10;

/// A number of protobuf that comes byte by byte.
#[derive(Debug, Clone, Copy)]
pub(super) struct Varint {
    value: u64,
    bytes: usize,
}

impl Varint {
    pub(super) const EMPTY: Self = Self { value: 0, bytes: 0 };

    /// The number, when this is its last byte. One of as many bytes as there can be is none: whether it fits is not looked
    /// at.
    pub(super) fn push(&mut self, byte: u8) -> Option<u64> {
        self.bytes += 1;
        if self.is_full() {
            return None;
        }
        self.value |= u64::from(byte & 0x7f) << (7 * (self.bytes - 1));
        (byte < 0x80).then_some(self.value)
    }

    /// Whether no further byte can belong to it.
    pub(super) fn is_full(&self) -> bool {
        self.bytes >= MOST
    }

    /// How many bytes have come.
    pub(super) fn len(&self) -> usize {
        self.bytes
    }
}
