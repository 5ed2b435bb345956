/// The bytes before each message: whether it is compressed, and its length.
const PREFIX: usize = 5;

/// Where in the messages of a body its next byte stands.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Framing {
    prefix: [u8; PREFIX],
    /// How much of the prefix has come.
    known: usize,
    /// How much of the message is missing, once its prefix has come.
    missing: usize,
}

impl Framing {
    /// Whether a message has begun and not ended.
    pub(super) fn inside(&self) -> bool {
        self.known > 0
    }

    /// Goes on behind these bytes and says whether a message ended in them.
    pub(super) fn pass(&mut self, mut bytes: &[u8]) -> bool {
        let mut ended = false;
        while !bytes.is_empty() {
            if self.known < PREFIX {
                let taken = bytes.len().min(PREFIX - self.known);
                let (prefix, rest) = bytes.split_at(taken);
                self.prefix[self.known..][..taken].copy_from_slice(prefix);
                self.known += taken;
                bytes = rest;
                let [_, length @ ..] = self.prefix;
                self.missing = u32::from_be_bytes(length) as usize;
            } else {
                let taken = bytes.len().min(self.missing);
                self.missing -= taken;
                bytes = &bytes[taken..];
            }
            if self.known == PREFIX && self.missing == 0 {
                ended = true;
                self.known = 0;
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
            assert_eq!(framing.missing, 256);
        }
    }
}
