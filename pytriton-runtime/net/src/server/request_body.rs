use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use pytriton_core::memory_budget::MemoryPermit;

use crate::server::stream_handle::StreamHandle;

/// The body of a request. It reports to its stream when it has arrived completely.
#[derive(Debug)]
pub struct RequestBody {
    body: Incoming,
    stream: StreamHandle,
    /// The memory of the bytes that wait to be read, if the connection has not reserved it.
    _unread: Option<MemoryPermit>,
}

impl RequestBody {
    #[inline]
    pub(crate) fn new(body: Incoming, stream: StreamHandle, unread: Option<MemoryPermit>) -> Self {
        if body.is_end_stream() {
            stream.receive();
        }
        Self {
            body,
            stream,
            _unread: unread,
        }
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = hyper::Error;

    #[inline]
    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if matches!(frame, Poll::Ready(None)) || frame.is_ready() && self.body.is_end_stream() {
            self.stream.receive();
        }
        frame
    }

    #[inline]
    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    #[inline]
    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
