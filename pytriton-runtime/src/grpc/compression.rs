use std::io::Read;

use axum::http::HeaderMap;

use crate::decompressor::Decompressor;
use crate::memory_budget::MemoryPermit;
use crate::service::Error;
use crate::text::excerpt;

use super::GrpcError;
use super::message_limit::MessageLimit;

/// The number of bytes that are decompressed at once.
const PIECE: usize = 32 << 10;

/// The compression of the messages of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Gzip,
    Deflate,
}

impl Encoding {
    /// Returns the compression of a call, or `None` if its messages are not compressed.
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

    /// Decompresses a message in chunks, up to `limit`. Memory that depends on the client is
    /// reserved with `permit`, which is empty. As for the decoder, the number of threads bounds
    /// that of the chunks.
    pub(super) fn decompress(
        self,
        compressed: &[u8],
        limit: MessageLimit,
        permit: MemoryPermit,
        push: impl FnMut(&[u8]) -> Result<(), GrpcError>,
    ) -> Result<(), GrpcError> {
        let decoder = match self {
            Self::Gzip => Decompressor::gzip(compressed, permit).map_err(Error::from)?,
            Self::Deflate => Decompressor::zlib(compressed),
        };
        inflate(decoder, limit, push)
    }
}

fn inflate(
    mut decoder: Decompressor<'_>,
    limit: MessageLimit,
    mut push: impl FnMut(&[u8]) -> Result<(), GrpcError>,
) -> Result<(), GrpcError> {
    // Beyond the limit, no more is decompressed than needed to detect it.
    let mut piece = vec![0; PIECE.min(limit.bytes.saturating_add(1))];
    let mut left = limit.bytes;
    loop {
        let length = decoder
            .read(&mut piece)
            .map_err(|error| GrpcError::Decompression {
                message: error.to_string(),
            })?;
        if length == 0 {
            return Ok(());
        }
        left = left.checked_sub(length).ok_or_else(|| limit.error())?;
        push(&piece[..length])?;
    }
}
