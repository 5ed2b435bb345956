use bytes::Bytes;

use crate::kserve::proto::{BoundedMessage, Pieces, decode};
use crate::memory_budget::MemoryPermit;
use crate::proto::ModelInferRequest;
use crate::reception::Error;

use super::GrpcError;
use super::compression::Encoding;
use super::message_limit::MessageLimit;

/// Decompressing a byte takes about as long as decoding this many bytes.
const INFLATE_WEIGHT: usize = 4;

/// Collects the bytes of an uncompressed message while they arrive.
pub(super) trait Collector: Send + 'static {
    /// Starts a message of at most `length` bytes. Allocates no memory for bytes that may never
    /// arrive.
    fn start(length: usize) -> Self;

    /// Adds the next bytes.
    fn push(&mut self, bytes: &[u8]);

    /// Returns the number of bytes that have been parsed, not only copied.
    fn parsed(&self) -> usize;

    /// Returns the number of bytes that must be parsed to decode the message.
    fn weight(&self) -> usize;
}

/// The bytes of a message that is decoded once it is complete.
#[derive(Debug)]
pub(super) struct Buffer {
    bytes: Vec<u8>,
    /// The maximum length in bytes.
    length: usize,
}

/// A request message while it arrives.
#[derive(Debug)]
pub(super) enum Message<C> {
    Plain(C),
    Compressed(Encoding, Buffer),
}

impl<C: Collector> Message<C> {
    /// Starts a message whose prefix announces `length` bytes.
    pub(super) fn start(encoding: Option<Encoding>, length: usize) -> Self {
        match encoding {
            None => Self::Plain(C::start(length)),
            Some(encoding) => Self::Compressed(encoding, Buffer::start(length)),
        }
    }

    /// Adds the next bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        match self {
            Self::Plain(content) => content.push(bytes),
            Self::Compressed(_, compressed) => compressed.push(bytes),
        }
    }

    /// Returns how many of the received bytes have been parsed, not only copied.
    pub(super) fn parsed(&self) -> usize {
        match self {
            Self::Plain(content) => content.parsed(),
            Self::Compressed(..) => 0,
        }
    }

    /// Returns the cost of decoding the message in bytes. For a compressed message, only the limit
    /// bounds it: a kilobyte may become a megabyte.
    pub(super) fn weight(&self, limit: MessageLimit) -> usize {
        match self {
            Self::Plain(content) => content.weight(),
            Self::Compressed(..) => limit.bytes.saturating_mul(INFLATE_WEIGHT),
        }
    }

    /// Decompresses a complete message. `permit` covers the memory.
    fn into_plain(self, limit: MessageLimit, permit: &mut MemoryPermit) -> Result<C, GrpcError> {
        match self {
            Self::Plain(content) => Ok(content),
            Self::Compressed(encoding, compressed) => {
                let mut content = C::start(limit.bytes.min(permit.available()));
                encoding.decompress(&compressed.bytes, limit, permit, |bytes| {
                    content.push(bytes)
                })?;
                Ok(content)
            }
        }
    }
}

impl Message<Pieces> {
    /// Decodes an inference request. Also returns its length.
    pub(super) fn decode(
        self,
        limit: MessageLimit,
        permit: &mut MemoryPermit,
    ) -> Result<(ModelInferRequest, usize), GrpcError> {
        let pieces = self.into_plain(limit, permit)?;
        let elements = pieces.elements().ok_or(GrpcError::Crowded)?;
        let length = pieces.length();
        permit.resize(length + elements).map_err(Error::from)?;
        Ok((pieces.decode()?, length))
    }
}

impl Message<Buffer> {
    /// Decodes any other request.
    pub(super) fn decode<M: BoundedMessage>(
        self,
        limit: MessageLimit,
        permit: &mut MemoryPermit,
    ) -> Result<M, GrpcError> {
        let buffer = self.into_plain(limit, permit)?;
        Ok(decode(Bytes::from(buffer.bytes), permit)?)
    }
}

impl Collector for Pieces {
    fn start(length: usize) -> Self {
        Self::new(length)
    }

    fn push(&mut self, bytes: &[u8]) {
        Self::push(self, bytes);
    }

    fn parsed(&self) -> usize {
        Self::weight(self)
    }

    fn weight(&self) -> usize {
        Self::weight(self)
    }
}

impl Collector for Buffer {
    fn start(length: usize) -> Self {
        Self {
            bytes: Vec::new(),
            length,
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        let needed = self.bytes.len() + bytes.len();
        if needed > self.bytes.capacity() {
            // Doubling limits the number of copies, but not beyond what will arrive.
            let capacity = needed.max(2 * self.bytes.capacity());
            let capacity = needed.max(capacity.min(self.length));
            self.bytes.reserve_exact(capacity - self.bytes.len());
        }
        self.bytes.extend_from_slice(bytes);
    }

    fn parsed(&self) -> usize {
        0
    }

    fn weight(&self) -> usize {
        self.bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_takes_no_memory_ahead_and_no_more_than_was_announced() {
        let mut buffer = Buffer::start(1000);
        assert_eq!(buffer.bytes.capacity(), 0);
        let mut growths = 0;
        for _ in 0..100 {
            let before = buffer.bytes.capacity();
            buffer.push(&[7; 10]);
            growths += usize::from(buffer.bytes.capacity() != before);
            assert!(buffer.bytes.capacity() <= 2 * buffer.bytes.len());
        }
        assert_eq!((buffer.weight(), buffer.bytes.capacity()), (1000, 1000));
        assert!(growths < 10);
    }
}
