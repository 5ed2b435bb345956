use axum::http::HeaderMap;
use pytriton_core::memory_budget::{MemoryBudgetError, MemoryPermit};
use pytriton_core::text::excerpt;

use crate::decompression::{DecompressionError, Format, decompress};
use crate::service::Error;

use super::GrpcError;
use super::message_limit::MessageLimit;

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

    /// Decompresses a message of at most `limit` bytes. The permit is as for [`decompress`].
    pub(super) fn decompress(
        self,
        compressed: &[u8],
        limit: MessageLimit,
        permit: MemoryPermit,
        push: impl FnMut(&[u8]) -> Result<(), MemoryBudgetError>,
    ) -> Result<(), GrpcError> {
        let format = match self {
            Self::Gzip => Format::Gzip,
            Self::Deflate => Format::Zlib,
        };
        let decompressed = decompress(compressed, format, limit.bytes, permit, push);
        decompressed.map_err(|error| match error {
            DecompressionError::Budget(error) => Error::from(error).into(),
            DecompressionError::Invalid { message } => GrpcError::Decompression { message },
            DecompressionError::TooLarge => limit.error(),
        })
    }
}
