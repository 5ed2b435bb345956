use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Body;
use pytriton_protocol::tensor::AlignedBuffer;

pub(super) use crate::transport::Pieces;
use crate::transport::{ResponseBody, TransportError};

/// The maximum number of bytes that are reserved before they arrive.
const MAX_PREALLOCATED_BYTES: usize = 64 << 20;

/// Reads a complete response into memory in which the byte at `aligned_at` is aligned.
pub(super) async fn read(
    mut body: ResponseBody,
    aligned_at: usize,
) -> Result<Bytes, TransportError> {
    let length = body
        .size_hint()
        .exact()
        .and_then(|length| usize::try_from(length).ok());
    let mut buffer = AlignedBuffer::with_capacity(
        length.unwrap_or_default().min(MAX_PREALLOCATED_BYTES),
        aligned_at,
    );
    while let Some(frame) = body.frame().await {
        if let Ok(data) = frame?.into_data() {
            buffer.extend_from_slice(&data);
        }
    }
    Ok(buffer.freeze())
}
