use pytriton_core::body_buffer::BodyBuffer;
use pytriton_core::memory_budget::{MIN_TRACKED_BYTES, MemoryBudgetError, MemoryPermit};
use pytriton_kserve::proto::{BoundedMessage, Pieces, decode};
use pytriton_protocol::proto::ModelInferRequest;

use crate::decompression::ASSUMED_EXPANSION;
use crate::service::Error;

use super::GrpcError;
use super::compression::Encoding;
use super::message_limit::MessageLimit;

/// Decompressing a byte takes about as long as decoding this many bytes.
const INFLATE_WEIGHT: usize = 4;

/// Collects the bytes of an uncompressed message while they arrive. Their memory is reserved.
pub(super) trait Collector: Send + 'static {
    /// Starts a message of at most `length` bytes. Allocates no memory for bytes that may never
    /// arrive. `permit` is an empty permit of the budget that the message counts against.
    fn start(length: usize, permit: MemoryPermit) -> Self;

    /// Adds the next bytes.
    fn push(&mut self, bytes: &[u8]) -> Result<(), MemoryBudgetError>;

    /// Returns the number of bytes that have been parsed, not only copied.
    fn parsed(&self) -> usize;

    /// Returns the number of bytes that must be parsed to decode the message.
    fn weight(&self) -> usize;
}

/// The bytes of a message that is decoded once it is complete.
pub(super) type Buffer = BodyBuffer;

/// A request message while it arrives.
#[derive(Debug)]
pub(super) enum Message<C> {
    Plain(C),
    Compressed(Encoding, Buffer),
}

impl<C: Collector> Message<C> {
    /// Starts a message whose prefix announces `length` bytes.
    pub(super) fn start(encoding: Option<Encoding>, length: usize, permit: MemoryPermit) -> Self {
        match encoding {
            None => Self::Plain(C::start(length, permit)),
            Some(encoding) => Self::Compressed(encoding, Buffer::start(length, permit)),
        }
    }

    /// Adds the next bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<(), MemoryBudgetError> {
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

    /// Returns the cost of decoding the message in bytes.
    pub(super) fn weight(&self, limit: MessageLimit) -> usize {
        match self {
            Self::Plain(content) => content.weight(),
            Self::Compressed(_, compressed) => {
                let assumed = compressed
                    .as_slice()
                    .len()
                    .saturating_mul(ASSUMED_EXPANSION);
                assumed.min(limit.bytes).saturating_mul(INFLATE_WEIGHT)
            }
        }
    }

    /// Decompresses a complete message. `permit` is an empty permit of its budget.
    fn into_plain(self, limit: MessageLimit, permit: &MemoryPermit) -> Result<C, GrpcError> {
        match self {
            Self::Plain(content) => Ok(content),
            Self::Compressed(encoding, compressed) => {
                let most = limit.bytes.min(permit.available().max(MIN_TRACKED_BYTES));
                let mut content = C::start(most, permit.sibling());
                let push = |bytes: &[u8]| content.push(bytes);
                encoding.decompress(compressed.as_slice(), limit, permit.sibling(), push)?;
                Ok(content)
            }
        }
    }
}

impl Message<Pieces> {
    /// Decodes an inference request. Also returns its length. Afterwards, `permit` covers its
    /// memory.
    pub(super) fn decode(
        self,
        limit: MessageLimit,
        permit: &mut MemoryPermit,
    ) -> Result<(ModelInferRequest, usize), GrpcError> {
        let pieces = self.into_plain(limit, permit)?;
        let elements = pieces.elements()?;
        let length = pieces.length();
        permit.grow(elements).map_err(Error::from)?;
        let (request, own) = pieces.decode()?;
        permit.absorb(own).map_err(Error::from)?;
        Ok((request, length))
    }
}

impl Message<Buffer> {
    /// Decodes any other request. `permit` covers its memory afterwards.
    pub(super) fn decode<M: BoundedMessage>(
        self,
        limit: MessageLimit,
        permit: &mut MemoryPermit,
    ) -> Result<M, GrpcError> {
        let body = self.into_plain(limit, permit)?.finish();
        let bytes = body.transfer_to(permit).map_err(Error::from)?;
        Ok(decode(bytes, permit)?)
    }
}

impl Collector for Pieces {
    fn start(length: usize, permit: MemoryPermit) -> Self {
        Self::new(length, permit)
    }

    fn push(&mut self, bytes: &[u8]) -> Result<(), MemoryBudgetError> {
        Self::push(self, bytes)
    }

    fn parsed(&self) -> usize {
        Self::weight(self)
    }

    fn weight(&self) -> usize {
        Self::weight(self)
    }
}

impl Collector for Buffer {
    fn start(length: usize, permit: MemoryPermit) -> Self {
        Self::new(permit, length, None)
    }

    fn push(&mut self, bytes: &[u8]) -> Result<(), MemoryBudgetError> {
        Self::push(self, bytes)
    }

    fn parsed(&self) -> usize {
        0
    }

    fn weight(&self) -> usize {
        self.len()
    }
}
