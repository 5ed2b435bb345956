use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::{mem, vec};

use axum::body::HttpBody;
use bytes::Bytes;
use futures_util::StreamExt;
use hyper::body::{Frame, SizeHint};
use pytriton_core::tracked_bytes::TrackedBytes;

use super::events::{Events, KEEP_ALIVE};

/// The body of a response. All of its bytes are reserved.
#[derive(Debug)]
pub(crate) enum Content {
    Parts(Parts),
    Events(Events),
}

impl Content {
    /// Returns a comment that may be sent between parts of the body without changing its meaning.
    pub(crate) fn comment(&self) -> Option<Bytes> {
        match self {
            Self::Parts(_) => None,
            Self::Events(_) => Some(Self::event_comment()),
        }
    }

    /// Returns a comment that may be sent between events.
    pub(crate) fn event_comment() -> Bytes {
        KEEP_ALIVE.into_bytes()
    }
}

impl From<TrackedBytes> for Content {
    fn from(body: TrackedBytes) -> Self {
        Self::Parts(Parts::from(body))
    }
}

impl HttpBody for Content {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut *self {
            Self::Parts(parts) => {
                Poll::Ready(parts.next().map(|part| Ok(Frame::data(part.into_bytes()))))
            }
            Self::Events(events) => events
                .poll_next_unpin(context)
                .map(|event| event.map(|event| Ok(Frame::data(event.into_bytes())))),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Parts(parts) => parts.is_end(),
            Self::Events(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Parts(parts) => parts.size_hint(),
            Self::Events(_) => SizeHint::default(),
        }
    }
}

/// A body with several parts and a known size.
#[derive(Debug)]
pub(crate) struct Parts {
    first: TrackedBytes,
    others: vec::IntoIter<TrackedBytes>,
}

impl Parts {
    pub(super) fn new(first: TrackedBytes, others: Vec<TrackedBytes>) -> Self {
        let others = others.into_iter();
        Self { first, others }
    }

    fn next(&mut self) -> Option<TrackedBytes> {
        match mem::take(&mut self.first) {
            first if first.is_empty() => self.others.next(),
            first => Some(first),
        }
    }

    fn is_end(&self) -> bool {
        self.first.is_empty() && self.others.as_slice().is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        let parts = std::iter::once(&self.first).chain(self.others.as_slice());
        SizeHint::with_exact(parts.map(|part| part.len() as u64).sum())
    }
}

impl From<TrackedBytes> for Parts {
    fn from(body: TrackedBytes) -> Self {
        Self::new(body, Vec::new())
    }
}
