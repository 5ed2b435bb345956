use std::io::{BufRead, BufReader, Read};

use axum::http::HeaderMap;
use flate2::read::{GzDecoder, ZlibDecoder};

use crate::memory_budget::MemoryPermit;
use crate::reception::Error;
use crate::text::excerpt;

use super::GrpcError;
use super::message_limit::MessageLimit;

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

    /// Decompresses a message piece by piece, up to `limit`. `permit` grows by every piece.
    pub(super) fn decompress(
        self,
        compressed: &[u8],
        limit: MessageLimit,
        permit: &mut MemoryPermit,
        push: impl FnMut(&[u8]),
    ) -> Result<(), GrpcError> {
        match self {
            Self::Gzip => inflate(GzDecoder::new(compressed), limit, permit, push),
            Self::Deflate => inflate(ZlibDecoder::new(compressed), limit, permit, push),
        }
    }
}

fn inflate(
    decoder: impl Read,
    limit: MessageLimit,
    permit: &mut MemoryPermit,
    mut push: impl FnMut(&[u8]),
) -> Result<(), GrpcError> {
    // A piece above the limit is inflated no further than is needed to see that it is.
    let piece = PIECE.min(limit.bytes.saturating_add(1));
    let mut reader = BufReader::with_capacity(piece, decoder);
    let mut left = limit.bytes;
    loop {
        let piece = reader
            .fill_buf()
            .map_err(|error| GrpcError::Decompression {
                message: error.to_string(),
            })?;
        let length = piece.len();
        if length == 0 {
            return Ok(());
        }
        left = left.checked_sub(length).ok_or_else(|| limit.error())?;
        permit.grow(length).map_err(Error::from)?;
        push(piece);
        reader.consume(length);
    }
}
