/// The bytes before each message: whether it is compressed, and its length.
pub(super) const PREFIX: usize = 5;

/// The prefix of a message.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Prefix {
    bytes: [u8; PREFIX],
    /// How many of the bytes have arrived.
    known: usize,
}

impl Prefix {
    /// The prefix of an uncompressed message of `length` bytes.
    pub(super) fn plain(length: u32) -> [u8; PREFIX] {
        let [one, two, three, four] = length.to_be_bytes();
        [0, one, two, three, four]
    }

    /// Whether no byte of it has arrived.
    pub(super) fn is_empty(self) -> bool {
        self.known == 0
    }

    /// Takes its bytes from the front of `bytes`. Returns the compression flag and the length of the message once it is
    /// complete.
    pub(super) fn take(&mut self, bytes: &mut &[u8]) -> Option<(u8, usize)> {
        let taken = bytes.len().min(PREFIX - self.known);
        let (prefix, rest) = bytes.split_at(taken);
        self.bytes[self.known..][..taken].copy_from_slice(prefix);
        self.known += taken;
        *bytes = rest;
        let [flag, length @ ..] = self.bytes;
        (self.known == PREFIX).then_some((flag, u32::from_be_bytes(length) as usize))
    }
}
