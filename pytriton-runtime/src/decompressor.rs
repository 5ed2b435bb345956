use std::io::{self, Read};

use flate2::bufread::{GzDecoder, MultiGzDecoder, ZlibDecoder};

use crate::memory_budget::{MemoryBudgetError, MemoryPermit};

/// The maximum size of the file name and of the comment in a gzip header. flate2 refuses longer
/// ones.
const MAX_FIELD_BYTES: usize = 64 << 10;

/// Decompresses a complete body. The caller reserves the output.
///
/// The window and the tables of the decoder take at most 64 KiB. flate2 allocates the extra field
/// of a gzip header as announced, at most 64 KiB. Neither is reserved, so that small compressed
/// requests are served while the budget is full. The number of threads bounds this memory: a
/// decoder is not `Send`, so it cannot outlive the call that created it. The file name and the
/// comment of the header grow with the body and are reserved.
pub(crate) struct Decompressor<'a> {
    decoder: Box<dyn Read + 'a>,
    _header: MemoryPermit,
}

impl<'a> Decompressor<'a> {
    /// Creates a decoder for all members of a gzip file. The memory of its header is added to
    /// `permit`.
    ///
    /// # Errors
    ///
    /// Returns [`MemoryBudgetError`] if the memory of the header cannot be reserved.
    pub(crate) fn gzip_members(
        body: &'a [u8],
        permit: MemoryPermit,
    ) -> Result<Self, MemoryBudgetError> {
        Self::with_header(body, permit, MultiGzDecoder::new)
    }

    /// Creates a decoder for the first member of a gzip file. The memory of its header is added to
    /// `permit`.
    ///
    /// # Errors
    ///
    /// As [`gzip_members`](Self::gzip_members).
    pub(crate) fn gzip(body: &'a [u8], permit: MemoryPermit) -> Result<Self, MemoryBudgetError> {
        Self::with_header(body, permit, GzDecoder::new)
    }

    /// Creates a decoder for a zlib stream, which has no header fields.
    pub(crate) fn zlib(body: &'a [u8]) -> Self {
        Self {
            decoder: Box::new(ZlibDecoder::new(body)),
            _header: MemoryPermit::unlimited(),
        }
    }

    /// Creates a decoder that copies two fields of a header into vectors that grow by doubling.
    fn with_header<D: Read + 'a>(
        body: &'a [u8],
        mut permit: MemoryPermit,
        decoder: impl FnOnce(&'a [u8]) -> D,
    ) -> Result<Self, MemoryBudgetError> {
        permit.grow((2 * body.len()).min(2 * MAX_FIELD_BYTES))?;
        Ok(Self {
            decoder: Box::new(decoder(body)),
            _header: permit,
        })
    }
}

impl Read for Decompressor<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.decoder.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::write::{GzEncoder, ZlibEncoder};
    use flate2::{Compression, GzBuilder};

    use crate::memory_budget::MemoryBudget;

    use super::*;

    fn member(comment: &[u8]) -> Vec<u8> {
        let encoder = GzBuilder::new().comment(comment);
        let mut encoder: GzEncoder<Vec<u8>> = encoder.write(Vec::new(), Compression::default());
        encoder.write_all(b"abc").unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn the_header_is_reserved_while_the_decoder_lives() {
        type Create =
            for<'a> fn(&'a [u8], MemoryPermit) -> Result<Decompressor<'a>, MemoryBudgetError>;
        let one: Create = |body, permit| Decompressor::gzip(body, permit);
        let all: Create = |body, permit| Decompressor::gzip_members(body, permit);
        let long = member(&[b'x'; 50_000]);
        let several = [&long[..], &long[..], &long[..]].concat();
        for (create, body, reserved, expected) in [
            (one, &long, 2 * long.len(), &b"abc"[..]),
            (one, &several, 2 * MAX_FIELD_BYTES, b"abc"),
            (all, &several, 2 * MAX_FIELD_BYTES, b"abcabcabc"),
        ] {
            let budget = MemoryBudget::new(reserved);
            let mut decoder = create(body, budget.empty_permit()).unwrap();
            assert_eq!(budget.reserved(), reserved);
            let mut read = Vec::new();
            decoder.read_to_end(&mut read).unwrap();
            assert_eq!(read, expected);
            drop(decoder);
            assert_eq!(budget.reserved(), 0);
            let small = MemoryBudget::new(reserved - 1);
            assert!(create(body, small.empty_permit()).is_err());
            assert_eq!(small.reserved(), 0);
        }
    }

    #[test]
    fn small_bodies_need_no_budget() {
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        zlib.write_all(b"abc").unwrap();
        let (zlib, gzip) = (zlib.finish().unwrap(), member(b"comment"));
        let budget = MemoryBudget::new(0);
        let decoders = [
            Ok(Decompressor::zlib(&zlib)),
            Decompressor::gzip(&gzip, budget.empty_permit()),
            Decompressor::gzip_members(&gzip, budget.empty_permit()),
        ];
        for decoder in decoders {
            let mut read = Vec::new();
            decoder.unwrap().read_to_end(&mut read).unwrap();
            assert_eq!(read, b"abc");
        }
    }
}
