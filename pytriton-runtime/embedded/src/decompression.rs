//! The decompression of HTTP bodies and gRPC messages.

use std::io::{self, Read};

use flate2::bufread::{GzDecoder, MultiGzDecoder, ZlibDecoder};
use pytriton_core::memory_budget::{MemoryBudgetError, MemoryPermit};

/// How many times larger decompressed data is assumed to be than the body, for the time that it takes
/// to decompress it. A kilobyte may become a megabyte.
pub(crate) const ASSUMED_EXPANSION: usize = 64;

/// The number of bytes that are decompressed at once.
const CHUNK_BYTES: usize = 32 << 10;

/// The maximum size of the file name and of the comment in a gzip header. flate2 refuses longer
/// ones.
const MAX_FIELD_BYTES: usize = 64 << 10;

/// The format of compressed bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Format {
    /// The first member of a gzip file.
    Gzip,
    /// All members of a gzip file.
    GzipMembers,
    /// A zlib stream.
    Zlib,
}

/// Why bytes were not decompressed.
#[derive(Debug)]
pub(crate) enum DecompressionError {
    /// The memory cannot be reserved.
    Budget(MemoryBudgetError),
    /// The bytes are not in the format.
    Invalid { message: String },
    /// There are more decompressed bytes than allowed.
    TooLarge,
}

/// Decompresses a complete body of at most `limit` decompressed bytes, and passes them to `push`
/// in chunks. `push` reserves the memory that it needs.
///
/// The window and the tables of the decoder take at most 64 KiB, as does the chunk. flate2
/// allocates the extra field of a gzip header as announced, at most 64 KiB. None of this is
/// reserved, so that small compressed requests are served while the budget is full. The number of
/// threads bounds this memory, because it is freed before this function returns. The file name and
/// the comment of the header grow with the body and are reserved with `permit`.
///
/// # Errors
///
/// Returns a [`DecompressionError`]. Beyond the limit, no more is decompressed than needed to
/// detect it.
pub(crate) fn decompress(
    body: &[u8],
    format: Format,
    limit: usize,
    mut permit: MemoryPermit,
    mut push: impl FnMut(&[u8]) -> Result<(), MemoryBudgetError>,
) -> Result<(), DecompressionError> {
    // The decoder copies two fields of a gzip header into vectors that grow by doubling.
    if !matches!(format, Format::Zlib) {
        permit.grow((2 * body.len()).min(2 * MAX_FIELD_BYTES))?;
    }
    let mut decoder: Box<dyn Read + '_> = match format {
        Format::Gzip => Box::new(GzDecoder::new(body)),
        Format::GzipMembers => Box::new(MultiGzDecoder::new(body)),
        Format::Zlib => Box::new(ZlibDecoder::new(body)),
    };
    let mut chunk = vec![0; CHUNK_BYTES.min(limit.saturating_add(1))];
    let mut left = limit;
    loop {
        let length = decoder.read(&mut chunk)?;
        if length == 0 {
            return Ok(());
        }
        left = left
            .checked_sub(length)
            .ok_or(DecompressionError::TooLarge)?;
        push(&chunk[..length])?;
    }
}

impl From<MemoryBudgetError> for DecompressionError {
    fn from(error: MemoryBudgetError) -> Self {
        Self::Budget(error)
    }
}

impl From<io::Error> for DecompressionError {
    fn from(error: io::Error) -> Self {
        Self::Invalid {
            message: error.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::Arc;

    use flate2::write::{GzEncoder, ZlibEncoder};
    use flate2::{Compression, GzBuilder};
    use pytriton_core::memory_budget::MemoryBudget;

    use super::*;

    fn member(comment: &[u8]) -> Vec<u8> {
        let encoder = GzBuilder::new().comment(comment);
        let mut encoder: GzEncoder<Vec<u8>> = encoder.write(Vec::new(), Compression::default());
        encoder.write_all(b"abc").unwrap();
        encoder.finish().unwrap()
    }

    /// Decompresses a body and returns the bytes.
    fn inflate(
        body: &[u8],
        format: Format,
        limit: usize,
        budget: &Arc<MemoryBudget>,
    ) -> Result<Vec<u8>, DecompressionError> {
        let mut bytes = Vec::new();
        decompress(body, format, limit, budget.empty_permit(), |chunk| {
            bytes.extend_from_slice(chunk);
            Ok(())
        })?;
        Ok(bytes)
    }

    #[test]
    fn header_is_reserved_while_the_decoder_lives() {
        let long = member(&[b'x'; 50_000]);
        let several = [&long[..], &long[..], &long[..]].concat();
        for (format, body, reserved, expected) in [
            (Format::Gzip, &long, 2 * long.len(), &b"abc"[..]),
            (Format::Gzip, &several, 2 * MAX_FIELD_BYTES, b"abc"),
            (
                Format::GzipMembers,
                &several,
                2 * MAX_FIELD_BYTES,
                b"abcabcabc",
            ),
        ] {
            let budget = MemoryBudget::new(reserved);
            assert_eq!(inflate(body, format, 9, &budget).unwrap(), expected);
            assert_eq!((budget.peak(), budget.reserved()), (reserved, 0));
            let small = MemoryBudget::new(reserved - 1);
            let refused = inflate(body, format, 9, &small);
            assert!(matches!(refused, Err(DecompressionError::Budget(_))));
            assert_eq!(small.reserved(), 0);
        }
    }

    #[test]
    fn small_bodies_need_no_budget() {
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        zlib.write_all(b"abc").unwrap();
        let (zlib, gzip) = (zlib.finish().unwrap(), member(b"comment"));
        let budget = MemoryBudget::new(0);
        for (format, body) in [
            (Format::Zlib, &zlib),
            (Format::Gzip, &gzip),
            (Format::GzipMembers, &gzip),
        ] {
            assert_eq!(inflate(body, format, 3, &budget).unwrap(), b"abc");
            let refused = inflate(body, format, 2, &budget);
            assert!(matches!(refused, Err(DecompressionError::TooLarge)));
        }
    }

    #[test]
    fn decompression_stops_at_the_limit() {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(&vec![7; 8 << 20]).unwrap();
        let body = encoder.finish().unwrap();
        let mut pushed = 0;
        let permit = MemoryPermit::unlimited();
        let refused = decompress(&body, Format::Zlib, CHUNK_BYTES + 1, permit, |chunk| {
            pushed += chunk.len();
            Ok(())
        });
        assert!(matches!(refused, Err(DecompressionError::TooLarge)));
        assert_eq!(pushed, CHUNK_BYTES);
    }
}
