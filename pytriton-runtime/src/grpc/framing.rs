/// The bytes before each message: whether it is compressed, and its length.
pub(super) const PREFIX: usize = 5;

/// What stands before a message.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Prefix {
    bytes: [u8; PREFIX],
    /// How much of it has come.
    known: usize,
}

impl Prefix {
    /// What stands before a message of so many bytes that is not compressed.
    pub(super) fn plain(length: u32) -> [u8; PREFIX] {
        let [one, two, three, four] = length.to_be_bytes();
        [0, one, two, three, four]
    }

    /// Whether nothing of it has come.
    pub(super) fn is_empty(self) -> bool {
        self.known == 0
    }

    /// Takes what belongs to it from the front, and tells its flag and the message's length when all of it has come.
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

/// Where in the messages of a body its next byte stands.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Framing {
    prefix: Prefix,
    /// How much of the message is missing, once its prefix has come.
    missing: Option<usize>,
}

impl Framing {
    /// Whether a message has begun and not ended.
    pub(super) fn inside(&self) -> bool {
        !self.prefix.is_empty()
    }

    /// Goes on behind these bytes and says whether a message ended in them.
    pub(super) fn pass(&mut self, mut bytes: &[u8]) -> bool {
        let mut ended = false;
        while !bytes.is_empty() {
            if let Some(missing) = &mut self.missing {
                let taken = bytes.len().min(*missing);
                *missing -= taken;
                bytes = &bytes[taken..];
            } else {
                let prefix = self.prefix.take(&mut bytes);
                self.missing = prefix.map(|(_, length)| length);
            }
            if self.missing == Some(0) {
                ended = true;
                *self = Self::default();
            }
        }
        ended
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_where_messages_end_however_they_are_cut() {
        let bytes = [0, 0, 0, 0, 2, 7, 7, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0];
        let ends = [7, 12];
        for cut in 1..bytes.len() {
            let mut framing = Framing::default();
            let mut at = 0;
            for piece in bytes.chunks(cut) {
                let through = at..at + piece.len();
                at = through.end;
                let ended = ends.iter().any(|end| through.contains(&(end - 1)));
                assert_eq!(framing.pass(piece), ended, "{cut} {at}");
                assert_eq!(framing.inside(), !ends.contains(&at), "{cut} {at}");
            }
            assert_eq!(framing.missing, Some(256));
        }
    }
}
