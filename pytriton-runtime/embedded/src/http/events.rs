use std::fmt;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_util::stream::{BoxStream, StreamExt, empty};
use futures_util::{FutureExt, Stream};
use pytriton_core::tracked_bytes::TrackedBytes;
use tokio::time::{Instant, Sleep, sleep, timeout};

/// A comment, which clients ignore. It prevents proxies from closing an idle connection.
pub(super) const KEEP_ALIVE: TrackedBytes = TrackedBytes::from_static(b": keep-alive\n\n");

/// The interval of keep-alive comments.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(15);

/// The events of a body, produced on demand. Comments are sent while no event is available.
/// Dropping it cancels the producer.
pub(crate) struct Events {
    first: Option<TrackedBytes>,
    others: BoxStream<'static, TrackedBytes>,
    /// The timer of the next comment, once an event was waited for.
    keep_alive_timer: Option<Pin<Box<Sleep>>>,
    /// Whether the timer runs.
    timer_armed: bool,
}

/// Waits for the first event, which determines the status of the response. Returns `None` if it
/// takes so long that the response begins without it.
pub(super) async fn first_event<T>(first: impl Future<Output = T>) -> Option<T> {
    timeout(KEEP_ALIVE_INTERVAL, first).await.ok()
}

impl Events {
    /// Creates an empty stream.
    pub(super) fn none() -> Self {
        Self::pending(empty())
    }

    /// Creates a stream of future events.
    pub(super) fn pending(events: impl Stream<Item = TrackedBytes> + Send + 'static) -> Self {
        Self {
            first: None,
            others: events.boxed(),
            keep_alive_timer: None,
            timer_armed: false,
        }
    }

    /// Creates a stream that starts with `first`, or with a comment if no event is available yet.
    pub(super) fn new(
        first: Option<TrackedBytes>,
        others: impl Stream<Item = TrackedBytes> + Send + 'static,
    ) -> Self {
        Self {
            first: Some(first.unwrap_or(KEEP_ALIVE)),
            ..Self::pending(others)
        }
    }
}

impl Stream for Events {
    type Item = TrackedBytes;

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<TrackedBytes>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(first));
        }
        if let Poll::Ready(next) = self.others.poll_next_unpin(context) {
            self.timer_armed = false;
            return Poll::Ready(next);
        }
        let restart = !mem::replace(&mut self.timer_armed, true);
        let keep_alive_timer = self
            .keep_alive_timer
            .get_or_insert_with(|| Box::pin(sleep(KEEP_ALIVE_INTERVAL)));
        if restart {
            keep_alive_timer
                .as_mut()
                .reset(Instant::now() + KEEP_ALIVE_INTERVAL);
        }
        ready!(keep_alive_timer.poll_unpin(context));
        self.timer_armed = false;
        Poll::Ready(Some(KEEP_ALIVE))
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

#[cfg(test)]
mod tests {
    use futures_util::stream::unfold;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn idle_stream_sends_comments() {
        let pauses = [1, 20, 40].map(Duration::from_secs);
        let others = unfold(pauses.into_iter(), async |mut pauses| {
            sleep(pauses.next()?).await;
            Some((TrackedBytes::from_static(b"event"), pauses))
        });
        let events = Events::new(None, others);
        let sent: Vec<_> = events.map(TrackedBytes::into_bytes).collect().await;
        let comment = ": keep-alive\n\n";
        let expected = [
            comment, "event", comment, "event", comment, comment, "event",
        ];
        assert_eq!(sent, expected);
    }
}
