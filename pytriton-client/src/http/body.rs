use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body, Frame, SizeHint};
use pytriton_protocol::tensor::AlignedBuffer;

use crate::transport::{Answer, TransportError};

/// A body of known length in pieces, which are sent as they are.
#[derive(Debug, Default)]
pub(super) struct Pieces(VecDeque<Bytes>);

impl Pieces {
    /// The pieces that are not empty.
    pub(super) fn new(pieces: impl IntoIterator<Item = Bytes>) -> Self {
        let pieces = pieces.into_iter();
        Self(pieces.filter(|piece| !piece.is_empty()).collect())
    }
}

impl Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let piece = self.get_mut().0.pop_front();
        Poll::Ready(piece.map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.iter().map(|piece| piece.len() as u64).sum())
    }
}

/// What is set aside for an answer before it comes, at most.
const MOST_AHEAD: usize = 64 << 20;

/// Reads an answer to its end, into memory in which the byte at `aligned_at` is aligned.
pub(super) async fn read(mut body: Answer, aligned_at: usize) -> Result<Bytes, TransportError> {
    let length = body
        .size_hint()
        .exact()
        .and_then(|length| usize::try_from(length).ok());
    let mut buffer =
        AlignedBuffer::with_capacity(length.unwrap_or_default().min(MOST_AHEAD), aligned_at);
    while let Some(frame) = body.frame().await {
        if let Ok(data) = frame?.into_data() {
            buffer.extend_from_slice(&data);
        }
    }
    Ok(buffer.freeze())
}
