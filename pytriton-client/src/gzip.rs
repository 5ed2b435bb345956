use std::io::{Read, Write};

use bytes::Bytes;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use pytriton_protocol::tensor::AlignedBuffer;
use tokio::task::spawn_blocking;

use crate::ClientError;

/// The number of bytes that are inflated at a time.
const STEP: usize = 64 << 10;

/// Larger bodies are processed on a separate thread, because all requests of a client share one.
const MIN_OFFLOAD_BYTES: usize = 64 << 10;

/// The limit on a decompressed body: the maximum size of a protobuf message.
pub(crate) const MAX_DECOMPRESSED_BYTES: usize = 2 << 30;

/// Compresses the pieces of a body.
pub(crate) async fn compress(pieces: Vec<Bytes>) -> Result<Bytes, ClientError> {
    match pieces.iter().map(Bytes::len).sum::<usize>() > MIN_OFFLOAD_BYTES {
        true => on_blocking_thread(move || deflate(&pieces)).await,
        false => deflate(&pieces),
    }
}

/// Decompresses a body into memory in which the byte at `aligned_at` is aligned.
pub(crate) async fn decompress(body: Bytes, aligned_at: usize) -> Result<Bytes, ClientError> {
    match body.len() > MIN_OFFLOAD_BYTES {
        true => {
            on_blocking_thread(move || inflate(&body, aligned_at, MAX_DECOMPRESSED_BYTES)).await
        }
        false => inflate(&body, aligned_at, MAX_DECOMPRESSED_BYTES),
    }
}

async fn on_blocking_thread(
    work: impl FnOnce() -> Result<Bytes, ClientError> + Send + 'static,
) -> Result<Bytes, ClientError> {
    let done = spawn_blocking(work).await;
    done.unwrap_or_else(|error| {
        let message = error.to_string();
        Err(ClientError::Thread { message })
    })
}

fn deflate(pieces: &[Bytes]) -> Result<Bytes, ClientError> {
    let failed = |error| ClientError::inputs(format!("cannot be compressed: {error}"));
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    for piece in pieces {
        encoder.write_all(piece).map_err(failed)?;
    }
    encoder.finish().map(Bytes::from).map_err(failed)
}

/// Decompresses a body. The loop of the server, in `pytriton-runtime`, reserves memory in a budget,
/// which a client does not have, and the client does not depend on the runtime.
fn inflate(body: &[u8], aligned_at: usize, most: usize) -> Result<Bytes, ClientError> {
    let mut decoder = GzDecoder::new(body);
    let ahead = body.len().saturating_mul(2).min(most);
    let mut buffer = AlignedBuffer::with_capacity(ahead, aligned_at);
    let mut step = vec![0; STEP];
    loop {
        match decoder.read(&mut step) {
            Ok(0) => return Ok(buffer.freeze()),
            Ok(count) if count > most - buffer.len() => {
                return Err(ClientError::protocol(format!(
                    "it decompresses to more than {most} bytes"
                )));
            }
            Ok(count) => buffer.extend_from_slice(&step[..count]),
            Err(error) => {
                return Err(ClientError::protocol(format!(
                    "it is not valid gzip: {error}"
                )));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn compression_round_trips() {
        let noise =
            (0..300_000_u32).map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes()[2]);
        for large in [vec![7; 300_000], noise.collect()] {
            let pieces = vec![Bytes::from_static(b"ab"), Bytes::from(large)];
            let compressed = compress(pieces.clone()).await.unwrap();
            let again = decompress(compressed.clone(), 2).await.unwrap();
            assert_eq!(again, pieces.concat());
            let cut = compressed.slice(..compressed.len() - 9);
            assert!(decompress(cut, 0).await.is_err());
        }
        let plain = decompress(Bytes::from_static(b"plain"), 0).await;
        assert!(plain.is_err());
    }

    #[test]
    fn growth_is_bounded() {
        let body = deflate(&[Bytes::from(vec![7; 300_000])]).unwrap();
        assert!(body.len() < 3_000);
        assert_eq!(inflate(&body, 0, 300_000).unwrap().len(), 300_000);
        assert!(inflate(&body, 0, 299_999).is_err());
    }
}
