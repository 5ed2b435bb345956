/// The protocols of a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// HTTP/2 only.
    Http2,
    /// HTTP/1.1, and HTTP/2 if the client sends its preface.
    Both,
}

impl Protocol {
    /// Returns the ALPN names of the protocols.
    pub fn names(self) -> &'static [&'static [u8]] {
        match self {
            Self::Http2 => &[b"h2"],
            Self::Both => &[b"h2", b"http/1.1"],
        }
    }
}
