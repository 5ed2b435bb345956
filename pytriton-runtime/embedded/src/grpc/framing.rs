/// The size of the prefix of each message: the compression flag and the length.
pub(super) const PREFIX: usize = 5;

/// The prefix of a message.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Prefix {
    bytes: [u8; PREFIX],
    /// The number of bytes that have arrived.
    known: usize,
}

impl Prefix {
    /// Returns the prefix of an uncompressed message of `length` bytes.
    pub(super) fn plain(length: u32) -> [u8; PREFIX] {
        let [one, two, three, four] = length.to_be_bytes();
        [0, one, two, three, four]
    }

    /// Returns whether no byte has arrived.
    pub(super) fn is_empty(self) -> bool {
        self.known == 0
    }

    /// Takes its bytes from the front of `bytes`. Once it is complete, returns the compression flag
    /// and the length of the message.
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
