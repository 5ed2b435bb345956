use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::HttpBody;
use bytes::Bytes;
use hyper::body::{Frame, Incoming, SizeHint};

use super::traffic::Traffic;

/// The body of a request, which says when all of it has come.
#[derive(Debug)]
pub(super) struct Received {
    body: Incoming,
    traffic: Traffic,
}

impl Received {
    pub(super) fn new(body: Incoming, traffic: Traffic) -> Self {
        if body.is_end_stream() {
            traffic.came();
        }
        Self { body, traffic }
    }
}

impl HttpBody for Received {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if matches!(frame, Poll::Ready(None)) || frame.is_ready() && self.body.is_end_stream() {
            self.traffic.came();
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
