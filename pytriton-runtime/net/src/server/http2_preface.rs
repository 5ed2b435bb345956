use tokio::io::ReadBuf;

/// The first bytes of every HTTP/2 connection.
pub(crate) const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The first bytes of a connection, which identify its protocol. The protocol reads them again.
#[derive(Debug, Default)]
pub(crate) struct Preface {
    bytes: [u8; PREFACE.len()],
    filled: usize,
    /// How many of them the protocol has read.
    taken: usize,
}

impl Preface {
    /// Returns the buffer for the missing bytes.
    pub(crate) fn missing(&mut self) -> &mut [u8] {
        &mut self.bytes[self.filled..]
    }

    /// Records bytes that were read into [`missing`](Self::missing); zero means the end of the
    /// connection. Returns whether the connection uses HTTP/2, or `None` if more bytes are needed.
    pub(crate) fn read(&mut self, bytes: usize) -> Option<bool> {
        self.filled += bytes;
        if bytes == 0 || self.bytes[..self.filled] != PREFACE[..self.filled] {
            return Some(false);
        }
        (self.filled == PREFACE.len()).then_some(true)
    }

    /// Copies bytes that the protocol has not read. Returns whether there were any.
    #[inline]
    pub(crate) fn take(&mut self, buffer: &mut ReadBuf<'_>) -> bool {
        if self.taken == self.filled {
            return false;
        }
        let left = &self.bytes[self.taken..self.filled];
        let some = &left[..left.len().min(buffer.remaining())];
        buffer.put_slice(some);
        self.taken += some.len();
        !some.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result for bytes that arrive in pieces of this size, and the bytes that the protocol
    /// reads.
    fn found(bytes: &[u8], piece: usize) -> (Option<bool>, Vec<u8>) {
        let mut preface = Preface::default();
        let mut found = None;
        for piece in bytes.chunks(piece) {
            let piece = &piece[..piece.len().min(preface.missing().len())];
            preface.missing()[..piece.len()].copy_from_slice(piece);
            found = preface.read(piece.len());
            if found.is_some() {
                break;
            }
        }
        let mut read = Vec::new();
        loop {
            let mut buffer = [0; 7];
            let mut buffer = ReadBuf::new(&mut buffer);
            if !preface.take(&mut buffer) {
                return (found, read);
            }
            read.extend_from_slice(buffer.filled());
        }
    }

    #[test]
    fn protocol_is_detected_and_every_byte_is_read() {
        let post = b"POST /v2/models/m/infer HTTP/1.1\r\n";
        let table: [(&[u8], Option<bool>); 6] = [
            (PREFACE, Some(true)),
            (&PREFACE[..23], None),
            (b"P", None),
            (post, Some(false)),
            (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r!", Some(false)),
            (b"GET", Some(false)),
        ];
        for (bytes, expected) in table {
            for piece in [1, 2, 24] {
                let (http2, read) = found(bytes, piece);
                assert_eq!(http2, expected, "{bytes:?}");
                assert!(bytes.starts_with(&read) && !read.is_empty());
                if http2.is_none() {
                    assert_eq!(read, bytes);
                }
            }
        }
    }

    #[test]
    fn closed_connection_is_not_http2() {
        let mut preface = Preface::default();
        assert_eq!(preface.read(0), Some(false));
    }
}
