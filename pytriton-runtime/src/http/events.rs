use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::Stream;
use futures_util::stream::{BoxStream, StreamExt, iter};

use crate::tracked_bytes::TrackedBytes;

/// A comment, which clients pass over and what stands between them and the server does not take for silence.
pub(super) const KEEP_ALIVE: TrackedBytes = TrackedBytes::from_static(b": keep-alive\n\n");

/// How long nothing may come on a stream.
pub(super) const SILENCE: Duration = Duration::from_secs(15);

/// The events of a body. The next one is made when it is asked for; dropping it gives up what would make it.
pub(crate) struct Events(BoxStream<'static, TrackedBytes>);

impl Events {
    /// No event.
    pub(super) fn none() -> Self {
        Self(iter([]).boxed())
    }

    /// Events of which none is there yet.
    #[cfg(tritonserver)]
    pub(super) fn coming(events: impl Stream<Item = TrackedBytes> + Send + 'static) -> Self {
        Self(events.boxed())
    }

    /// An event that is there, and others behind it.
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

/// What stands before and behind the JSON of an event, in which no line ends.
pub(super) const EVENT: [&[u8]; 2] = [b"data: ", b"\n\n"];

/// An event of JSON, in which no line ends.
pub(super) fn event(mut json: Vec<u8>) -> Vec<u8> {
    json.splice(..0, *b"data: ");
    json.extend_from_slice(b"\n\n");
    json
}
