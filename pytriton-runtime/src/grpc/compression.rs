use std::io::{BufRead, BufReader, Read};

use axum::http::HeaderMap;
use flate2::read::{GzDecoder, ZlibDecoder};

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

    /// Decompresses a message in chunks, up to `limit`.
    pub(super) fn decompress(
        self,
        compressed: &[u8],
        limit: MessageLimit,
        push: impl FnMut(&[u8]) -> Result<(), GrpcError>,
    ) -> Result<(), GrpcError> {
        match self {
            Self::Gzip => inflate(GzDecoder::new(compressed), limit, push),
            Self::Deflate => inflate(ZlibDecoder::new(compressed), limit, push),
        }
    }
}

fn inflate(
    decoder: impl Read,
    limit: MessageLimit,
    mut push: impl FnMut(&[u8]) -> Result<(), GrpcError>,
) -> Result<(), GrpcError> {
    // Beyond the limit, no more is decompressed than needed to detect it.
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
        push(piece)?;
        reader.consume(length);
    }
}
