use std::io::{BufRead, BufReader, Read};

use axum::http::HeaderMap;
use flate2::read::{GzDecoder, ZlibDecoder};

use crate::kserve::proto::Pieces;
use crate::memory_budget::MemoryPermit;
use crate::reception::Error;
use crate::text::excerpt;

use super::GrpcError;

/// How many bytes are decompressed at a time.
const PIECE: usize = 32 << 10;

/// How the messages of a call may be compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Gzip,
    Deflate,
}

impl Encoding {
    /// What a call says of its messages; `None` for not at all.
    pub(super) fn of(headers: &HeaderMap) -> Result<Option<Self>, GrpcError> {
        let Some(value) = headers.get("grpc-encoding") else {
            return Ok(None);
        };
        match value.as_bytes() {
            b"gzip" => Ok(Some(Self::Gzip)),
            b"deflate" => Ok(Some(Self::Deflate)),
            b"identity" => Ok(None),
            other => Err(GrpcError::Encoding {
                encoding: excerpt(&String::from_utf8_lossy(other)),
            }),
        }
    }

    /// Decompresses a message of at most `limit` bytes, which are `held` as they come.
    pub(super) fn decompress(
        self,
        bytes: &[u8],
        limit: usize,
        held: &mut MemoryPermit,
    ) -> Result<Pieces, GrpcError> {
        match self {
            Self::Gzip => read(GzDecoder::new(bytes), limit, held),
            Self::Deflate => read(ZlibDecoder::new(bytes), limit, held),
        }
    }
}

fn read(decoder: impl Read, limit: usize, held: &mut MemoryPermit) -> Result<Pieces, GrpcError> {
    let mut reader = BufReader::with_capacity(PIECE, decoder);
    // Nothing is made ready for what there is no room for, whatever the message says of itself.
    let mut pieces = Pieces::new(limit.min(held.available()));
    let mut left = limit;
    loop {
        let piece = reader
            .fill_buf()
            .map_err(|error| GrpcError::Decompression {
                message: error.to_string(),
            })?;
        let length = piece.len();
        if length == 0 {
            return Ok(pieces);
        }
        left = left
            .checked_sub(length)
            .ok_or(GrpcError::TooLarge { limit })?;
        held.grow(length).map_err(Error::from)?;
        pieces.push(piece);
        reader.consume(length);
    }
}
