use std::io::{self, Write};

use axum::http::HeaderValue;
use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use pytriton_core::memory_budget::{MemoryBudgetError, MemoryPermit};
use pytriton_core::received_body::ReceivedBody;
use pytriton_core::tracked_buffer::TrackedBuffer;
use pytriton_core::tracked_bytes::TrackedBytes;
use pytriton_protocol::tensor::AlignedBuffer;

use crate::decompression::{self, DecompressionError, Format};
use crate::service::Error;

use super::HttpError;

/// The capacities of the first and of the largest piece of a decompressed body.
const FIRST_PIECE_BYTES: usize = 8 << 10;
const MAX_PIECE_BYTES: usize = 1 << 20;

/// The compression of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Gzip,
    Deflate,
}

impl Encoding {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
        }
    }

    fn named(name: &str) -> Option<Self> {
        [Self::Gzip, Self::Deflate]
            .into_iter()
            .find(|encoding| encoding.name() == name)
    }

    /// Returns the compression of a request body with this `Content-Encoding`, or `None` if it is
    /// not compressed.
    pub(super) fn of_request(encoding: Option<&HeaderValue>) -> Result<Option<Self>, HttpError> {
        let Some(value) = encoding else {
            return Ok(None);
        };
        match value.to_str().unwrap_or("unreadable") {
            "" | "identity" => Ok(None),
            name => Self::named(name)
                .map(Some)
                .ok_or(HttpError::ContentEncoding),
        }
    }

    /// Returns the compression that a client with this `Accept-Encoding` prefers for its response:
    /// the first one with the largest weight.
    ///
    /// Source: `CompressionTypeUsed` in Triton 2.51.
    pub(super) fn of_response(accepted: Option<&HeaderValue>) -> Option<Self> {
        let accepted = accepted?.to_str().ok()?;
        let mut best = (None, 0.0);
        for entry in accepted.split(',') {
            let (name, weight) = match entry.split_once(";q=") {
                Some((name, weight)) => (name.trim(), weight.trim().parse().unwrap_or(0.0)),
                None => (entry.trim(), 1.0),
            };
            let encoding = Self::named(name);
            if weight > best.1 && (encoding.is_some() || name == "identity") {
                best = (encoding, weight);
            }
        }
        best.0
    }

    /// Compresses a body. The memory of the result and of the encoder is reserved with `permit`.
    pub(super) fn compress<'a>(
        self,
        parts: impl Iterator<Item = &'a [u8]>,
        permit: MemoryPermit,
    ) -> Result<TrackedBytes, MemoryBudgetError> {
        let mut encoder = permit.sibling();
        encoder.grow(ENCODER_BYTES)?;
        let mut output = Output {
            buffer: TrackedBuffer::new(permit),
            refused: None,
        };
        let level = Compression::default();
        // The buffer only fails if memory cannot be reserved, and the encoders have no other
        // errors.
        let written = match self {
            Self::Gzip => written(GzEncoder::new(&mut output, level), parts),
            Self::Deflate => written(ZlibEncoder::new(&mut output, level), parts),
        };
        match (output.refused, written) {
            (None, Ok(())) => Ok(output.buffer.freeze()),
            (refused, _) => Err(refused.unwrap_or_else(|| encoder.refusal(ENCODER_BYTES))),
        }
    }
}

/// The memory of an encoder in addition to its output.
const ENCODER_BYTES: usize = 320 << 10;

/// The output of an encoder. After an error, it accepts no more bytes.
struct Output {
    buffer: TrackedBuffer,
    refused: Option<MemoryBudgetError>,
}

impl Write for &mut Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.refused.is_none() {
            self.refused = self.buffer.extend_from_slice(bytes).err();
        }
        match self.refused {
            None => Ok(bytes.len()),
            Some(error) => Err(io::Error::other(error)),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn written<'a>(mut encoder: impl Write, parts: impl Iterator<Item = &'a [u8]>) -> io::Result<()> {
    for part in parts {
        encoder.write_all(part)?;
    }
    // Dropping the encoder writes the end of the stream.
    Ok(())
}

/// Decompresses a body to at most `limit` bytes. Like Triton, it detects the encoding by the first
/// bytes. The byte at `aligned_at` is aligned for every element type.
///
/// `permit` is an empty permit of the budget, which reserves the memory of the result.
pub(super) fn decompress(
    body: &[u8],
    aligned_at: Option<usize>,
    limit: usize,
    permit: MemoryPermit,
) -> Result<ReceivedBody, HttpError> {
    const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b];

    if body.is_empty() {
        return Err(HttpError::NothingToDecompress);
    }
    let format = match body.starts_with(GZIP_MAGIC) {
        true => Format::GzipMembers,
        false => Format::Zlib,
    };
    let mut pieces = Pieces::new(permit);
    let header = pieces.permit.sibling();
    let decompressed =
        decompression::decompress(body, format, limit, header, |bytes| pieces.push(bytes));
    decompressed.map_err(|error| match error {
        DecompressionError::Budget(error) => Error::from(error).into(),
        DecompressionError::Invalid { message } => HttpError::Decompression { message },
        DecompressionError::TooLarge => HttpError::DecompressedSize { limit },
    })?;
    let joined = pieces.join(aligned_at.unwrap_or(0)).map_err(Error::from)?;
    Ok(joined)
}

/// Decompressed bytes in separate allocations. A growing buffer would be copied repeatedly, while
/// other threads wait for the allocator.
struct Pieces {
    permit: MemoryPermit,
    pieces: Vec<Vec<u8>>,
    length: usize,
    /// The capacity of the next piece.
    next: usize,
}

impl Pieces {
    fn new(permit: MemoryPermit) -> Self {
        Self {
            permit,
            pieces: Vec::new(),
            length: 0,
            next: FIRST_PIECE_BYTES,
        }
    }

    /// Adds bytes. The memory of each piece is reserved before it is allocated.
    fn push(&mut self, mut bytes: &[u8]) -> Result<(), MemoryBudgetError> {
        self.length += bytes.len();
        while !bytes.is_empty() {
            let free = |piece: &Vec<u8>| piece.capacity() - piece.len();
            let full = self.pieces.last().is_none_or(|piece| free(piece) == 0);
            if full {
                self.permit.grow(self.next)?;
                let mut piece = Vec::new();
                let allocated = piece.try_reserve_exact(self.next);
                allocated.map_err(|_| self.permit.refusal(self.next))?;
                self.pieces.push(piece);
                self.next = MAX_PIECE_BYTES.min(2 * self.next);
            }
            if let Some(piece) = self.pieces.last_mut() {
                let (now, later) = bytes.split_at(bytes.len().min(free(piece)));
                piece.extend_from_slice(now);
                bytes = later;
            }
        }
        Ok(())
    }

    /// Joins the pieces. The byte at `aligned_at` is aligned for every element type.
    fn join(mut self, aligned_at: usize) -> Result<ReceivedBody, MemoryBudgetError> {
        let length = self.length;
        self.permit.grow(length)?;
        let mut buffer = AlignedBuffer::try_with_capacity(length, aligned_at)
            .map_err(|_| self.permit.refusal(length))?;
        for piece in self.pieces {
            buffer.extend_from_slice(&piece);
        }
        self.permit.resize(length)?;
        ReceivedBody::new(buffer.freeze(), self.permit)
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use pytriton_core::memory_budget::MemoryBudget;

    use super::*;

    const BUDGET_BYTES: usize = 64 << 20;

    fn inflate(body: &[u8], aligned_at: Option<usize>, limit: usize) -> Result<Bytes, HttpError> {
        let permit = MemoryBudget::new(BUDGET_BYTES).empty_permit();
        let body = decompress(body, aligned_at, limit, permit)?;
        Ok(body.into_tracked().into_bytes())
    }

    fn compressed(encoding: Encoding, parts: &[Vec<u8>]) -> TrackedBytes {
        let parts = parts.iter().map(Vec::as_slice);
        encoding.compress(parts, MemoryPermit::unlimited()).unwrap()
    }

    #[test]
    fn preferred_encoding_of_the_client_is_chosen() {
        let table = [
            ("gzip", Some(Encoding::Gzip)),
            ("deflate", Some(Encoding::Deflate)),
            ("gzip, deflate", Some(Encoding::Gzip)),
            ("deflate, gzip", Some(Encoding::Deflate)),
            ("gzip;q=0.5, deflate;q=0.8", Some(Encoding::Deflate)),
            ("identity, gzip", None),
            ("gzip;q=0", None),
            ("gzip;q=x", None),
            ("br", None),
            ("*", None),
            ("", None),
        ];
        for (accepted, expected) in table {
            let value = HeaderValue::from_static(accepted);
            assert_eq!(Encoding::of_response(Some(&value)), expected, "{accepted}");
        }
        assert_eq!(Encoding::of_response(None), None);
    }

    #[test]
    fn compressed_bodies_are_decoded() {
        let parts = || [b"abc".to_vec(), vec![7; 5000]].into_iter();
        for encoding in [Encoding::Gzip, Encoding::Deflate] {
            let compressed = compressed(encoding, &parts().collect::<Vec<_>>());
            let body = inflate(&compressed, None, BUDGET_BYTES).unwrap();
            assert_eq!(body, parts().flatten().collect::<Vec<_>>());
            assert!(matches!(
                inflate(&compressed[..compressed.len() - 9], None, BUDGET_BYTES),
                Err(HttpError::Decompression { .. })
            ));
        }
        for junk in [&b"{}"[..], &[0x1f, 0x8b, 0]] {
            let error = inflate(junk, None, BUDGET_BYTES);
            assert!(matches!(error, Err(HttpError::Decompression { .. })));
        }
        assert_eq!(
            inflate(b"", None, BUDGET_BYTES),
            Err(HttpError::NothingToDecompress)
        );
    }

    #[test]
    fn decompressed_bodies_of_every_length_are_complete_and_aligned() {
        const CHUNK: usize = 32 << 10;

        let around = [0, 1, CHUNK, 3 * CHUNK, 8 * CHUNK, 128 * CHUNK];
        let lengths = around.map(|length: usize| [length.saturating_sub(1), length, length + 1]);
        let lengths = lengths.into_iter().flatten();
        for length in lengths {
            let bytes: Vec<u8> = (0..=250).cycle().take(length).collect();
            let original = Bytes::from(bytes);
            for encoding in [Encoding::Gzip, Encoding::Deflate] {
                let compressed = compressed(encoding, &[original.to_vec()]);
                for aligned_at in [None, Some(0), Some(length.min(13)), Some(length / 2)] {
                    let body = inflate(&compressed, aligned_at, length).unwrap();
                    assert_eq!(body, original, "{length}");
                    if let Some(at) = aligned_at.filter(|_| length > 0) {
                        let place = body[at..].as_ptr().addr();
                        assert_eq!(place % AlignedBuffer::ALIGNMENT, 0, "{length} {at}");
                    }
                    if let Some(limit) = length.checked_sub(1) {
                        let large = Err(HttpError::DecompressedSize { limit });
                        assert_eq!(inflate(&compressed, aligned_at, limit), large);
                    }
                }
            }
        }
    }

    #[test]
    fn all_gzip_members_are_decompressed() {
        let member = |text: &'static [u8]| compressed(Encoding::Gzip, &[text.to_vec()]).to_vec();
        let body = [member(b"abc"), member(b""), member(b"def")].concat();
        assert_eq!(inflate(&body, None, 6).unwrap(), b"abcdef"[..]);
        let large = Err(HttpError::DecompressedSize { limit: 5 });
        assert_eq!(inflate(&body, None, 5), large);
    }

    #[test]
    fn decompression_bomb_is_refused() {
        let bomb = compressed(Encoding::Gzip, &[vec![0; 8 << 20]]);
        assert_eq!(
            inflate(&bomb, None, BUDGET_BYTES).map(|body| body.len()),
            Ok(8 << 20)
        );
        assert_eq!(
            inflate(&bomb, None, 1000),
            Err(HttpError::DecompressedSize { limit: 1000 })
        );
    }

    #[test]
    fn bodies_are_reserved_before_they_are_allocated() {
        const MIB: usize = 1 << 20;

        let bomb = compressed(Encoding::Gzip, &[vec![0; 8 * MIB]]);
        // The body, its copy, and an unused piece.
        for (limit, inflated) in [(17 * MIB, true), (16 * MIB - 1, false), (0, false)] {
            let budget = MemoryBudget::new(limit);
            match decompress(&bomb, None, BUDGET_BYTES, budget.empty_permit()) {
                Ok(mut body) => {
                    assert!(inflated, "{limit}");
                    assert_eq!(body.len(), 8 * MIB);
                    assert!(body.parts().1.bytes() >= body.len());
                }
                Err(HttpError::Service(Error::Budget(MemoryBudgetError { .. }))) => {
                    assert!(!inflated, "{limit}");
                }
                Err(other) => panic!("{other}"),
            }
            assert_eq!(budget.reserved(), 0);
        }
    }
}
