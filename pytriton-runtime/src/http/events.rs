use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::Stream;
use futures_util::stream::{BoxStream, StreamExt, iter};

use crate::tracked_bytes::TrackedBytes;

/// A comment, which clients ignore. It prevents proxies from closing an idle connection.
pub(super) const KEEP_ALIVE: TrackedBytes = TrackedBytes::from_static(b": keep-alive\n\n");

/// The interval of keep-alive comments.
pub(super) const SILENCE: Duration = Duration::from_secs(15);

/// The events of a body, produced on demand. Dropping it cancels the producer.
pub(crate) struct Events(BoxStream<'static, TrackedBytes>);

impl Events {
    /// Creates an empty stream.
    pub(super) fn none() -> Self {
        Self(iter([]).boxed())
    }

    /// Creates a stream of future events.
    #[cfg(tritonserver)]
    pub(super) fn coming(events: impl Stream<Item = TrackedBytes> + Send + 'static) -> Self {
        Self(events.boxed())
    }

    /// Creates a stream from a first event and future ones.
    pub(super) fn new(
        first: TrackedBytes,
        others: impl Stream<Item = TrackedBytes> + Send + 'static,
    ) -> Self {
        Self(iter([first]).chain(others).boxed())
    }
}

impl Stream for Events {
    type Item = TrackedBytes;

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<TrackedBytes>> {
        self.0.poll_next_unpin(context)
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events").finish_non_exhaustive()
    }
}

/// The bytes before and after the JSON of an event, which must not contain line breaks.
pub(super) const EVENT: [&[u8]; 2] = [b"data: ", b"\n\n"];

/// Creates an event from JSON without line breaks.
pub(super) fn event(mut json: Vec<u8>) -> Vec<u8> {
    json.splice(..0, *b"data: ");
    json.extend_from_slice(b"\n\n");
    json
}
