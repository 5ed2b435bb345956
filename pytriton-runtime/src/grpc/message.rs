use crate::kserve::proto::Pieces;
use crate::memory_budget::MemoryPermit;
use crate::proto::ModelInferRequest;
use crate::reception::Error;

use super::GrpcError;
use super::compression::Encoding;

/// So much is reserved at most for what has not come.
const AHEAD: usize = 1 << 20;

/// A message as it comes.
#[derive(Debug)]
pub(super) enum Message {
    Plain(Pieces),
    Compressed(Encoding, Vec<u8>),
}

impl Message {
    /// Nothing of a message that has so many bytes.
    pub(super) fn new(encoding: Option<Encoding>, length: usize) -> Self {
        match encoding {
            None => Self::Plain(Pieces::new(length)),
            Some(encoding) => Self::Compressed(encoding, Vec::with_capacity(length.min(AHEAD))),
        }
    }

    /// Takes the next bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        match self {
            Self::Plain(pieces) => pieces.push(bytes),
            Self::Compressed(_, compressed) => compressed.extend_from_slice(bytes),
        }
    }

    /// How many bytes of what has come were looked at, and not only moved.
    pub(super) fn looked_at(&self) -> usize {
        match self {
            Self::Plain(pieces) => pieces.weight(),
            Self::Compressed(..) => 0,
        }
    }

    /// How many bytes must be looked at to read it. Of compressed ones nobody knows: a kilobyte may become a megabyte.
    pub(super) fn weight(&self) -> usize {
        match self {
            Self::Plain(pieces) => pieces.weight(),
            Self::Compressed(..) => usize::MAX,
        }
    }

    /// Reads it, when all of it has come and it is no longer than `limit`; with how many bytes it had. What it takes in memory
    /// meanwhile is `held`.
    pub(super) fn read(
        self,
        limit: usize,
        held: &mut MemoryPermit,
    ) -> Result<(ModelInferRequest, usize), GrpcError> {
        let pieces = match self {
            Self::Plain(pieces) => pieces,
            Self::Compressed(encoding, compressed) => {
                encoding.decompress(&compressed, limit, held)?
            }
        };
        let elements = pieces.elements().ok_or(GrpcError::Crowded)?;
        let length = pieces.length();
        held.resize(length + elements).map_err(Error::from)?;
        Ok((pieces.decode()?, length))
    }
}
