use std::io::{Read, Write};

use bytes::Bytes;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use pytriton_protocol::tensor::AlignedBuffer;

use crate::ClientError;

/// How much is inflated at a time.
const STEP: usize = 64 << 10;

/// The pieces of a body as one, compressed.
pub(crate) fn compress(pieces: impl IntoIterator<Item = Bytes>) -> Result<Bytes, ClientError> {
    let failed = |error| ClientError::inputs(format!("cannot be compressed: {error}"));
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    for piece in pieces {
        encoder.write_all(&piece).map_err(failed)?;
    }
    encoder.finish().map(Bytes::from).map_err(failed)
}

/// What a body was, in memory in which the byte at `aligned_at` is aligned.
pub(crate) fn decompress(body: &[u8], aligned_at: usize) -> Result<Bytes, ClientError> {
    let mut decoder = GzDecoder::new(body);
    let mut buffer = AlignedBuffer::with_capacity(body.len().saturating_mul(2), aligned_at);
    let mut step = vec![0; STEP];
    loop {
        match decoder.read(&mut step) {
            Ok(0) => return Ok(buffer.freeze()),
            Ok(count) => buffer.extend_from_slice(&step[..count]),
            Err(error) => return Err(ClientError::protocol(format!("it is no gzip: {error}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_compressed_comes_back_as_one() {
        let pieces = [Bytes::from_static(b"ab"), Bytes::from(vec![7; 300_000])];
        let compressed = compress(pieces.clone()).unwrap();
        assert!(compressed.len() < 3_000);
        assert_eq!(decompress(&compressed, 2).unwrap(), pieces.concat());
        assert!(decompress(&compressed[..compressed.len() - 9], 0).is_err());
        assert!(decompress(b"plain", 0).is_err());
    }
}
