use std::task::Waker;

use tokio::task::AbortHandle;
use tokio::time::Instant;

/// The client makes progress when it takes this many bytes of a response, or all that is left.
///
/// A client that takes less within the timeout is treated like one that takes nothing.
const PROGRESS_BYTES: usize = 16 << 10;

/// The state of one request, from its head to the last byte of its response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StreamState {
    /// The request body has not arrived completely.
    Receiving,
    /// The server works on the response, or on the next part of it.
    Computing,
    /// A part of the response is ready, and the connection has not asked for it.
    Ready { since: Instant },
    /// A part of the response has been handed to the connection and is not yet written to the
    /// socket. The client has made no progress since then.
    Unsent { since: Instant },
}

/// How far the response of a stream is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Response {
    /// The server works on it.
    Computing,
    /// The connection may ask for the next part.
    Ready,
    /// All of it has been handed over, or it has been dropped.
    Ended,
}

/// One stream, as [`ConnectionState`](super::connection_state::ConnectionState) tracks it.
#[derive(Debug)]
pub(super) struct Stream {
    /// Distinguishes streams that use the same slot one after another.
    pub(super) number: u64,
    /// The task that sends the response, if the stream can be reset alone.
    pub(super) task: Option<AbortHandle>,
    /// Wakes the task when at most so many bytes are unsent.
    waker: Option<(usize, Waker)>,
    received: bool,
    responded: bool,
    response: Response,
    /// Bytes that have been handed over and are not written.
    unsent: usize,
    /// Bytes that have been written since `since`.
    written: usize,
    /// When the client last made progress, or had nothing to take.
    since: Instant,
}

impl Stream {
    pub(super) fn new(number: u64, now: Instant) -> Self {
        Self {
            number,
            task: None,
            waker: None,
            received: false,
            responded: false,
            response: Response::Computing,
            unsent: 0,
            written: 0,
            since: now,
        }
    }

    pub(super) fn state(&self) -> StreamState {
        let since = self.since;
        match self.response {
            _ if self.unsent > 0 => StreamState::Unsent { since },
            Response::Ready => StreamState::Ready { since },
            Response::Computing if !self.received => StreamState::Receiving,
            Response::Computing | Response::Ended => StreamState::Computing,
        }
    }

    /// Since when the client could have taken a part of the response; `None` if the server is
    /// not waiting for the client to take one.
    pub(super) fn blocked_since(&self) -> Option<Instant> {
        match self.state() {
            StreamState::Receiving | StreamState::Computing => None,
            StreamState::Ready { since } | StreamState::Unsent { since } => Some(since),
        }
    }

    /// Whether the stream can be reset without its connection.
    pub(super) fn can_be_reset(&self) -> bool {
        self.task.as_ref().is_some_and(|task| !task.is_finished())
    }

    /// Whether the request has arrived completely.
    pub(super) fn is_received(&self) -> bool {
        self.received
    }

    /// Whether the head of the response is ready.
    pub(super) fn is_responded(&self) -> bool {
        self.responded
    }

    /// Whether all of the response has been handed over, or it has been dropped.
    pub(super) fn is_ended(&self) -> bool {
        self.response == Response::Ended
    }

    /// Whether nothing is left to be done.
    pub(super) fn is_finished(&self) -> bool {
        self.is_ended() && self.unsent == 0
    }

    /// The bytes that have been handed over and are not written.
    pub(super) fn unsent(&self) -> usize {
        self.unsent
    }

    /// The request has arrived completely.
    pub(super) fn receive(&mut self) {
        self.received = true;
    }

    /// The head of the response is ready.
    pub(super) fn respond(&mut self, now: impl FnOnce() -> Instant) {
        self.responded = true;
        self.make_ready(now);
    }

    /// The next part of the response is being computed.
    pub(super) fn compute(&mut self) {
        if self.response == Response::Ready {
            self.response = Response::Computing;
        }
    }

    /// A part of the response is handed to the connection.
    pub(super) fn hand_over(&mut self, bytes: usize, now: impl FnOnce() -> Instant) {
        self.make_ready(now);
        self.unsent += bytes;
    }

    /// The connection has written, or dropped, bytes of the response.
    pub(super) fn sent(&mut self, bytes: usize, now: Instant) {
        self.unsent = self.unsent.saturating_sub(bytes);
        self.written += bytes;
        if self.unsent == 0 || self.written >= PROGRESS_BYTES {
            self.since = now;
            self.written = 0;
        }
    }

    /// The task is to be woken when at most so many bytes are unsent.
    pub(super) fn wake_at(&mut self, unsent: usize, waker: Waker) {
        self.waker = Some((unsent, waker));
    }

    /// Who is to be woken now.
    pub(super) fn take_waker(&mut self) -> Option<Waker> {
        let (_, waker) = self.waker.take_if(|(unsent, _)| self.unsent <= *unsent)?;
        Some(waker)
    }

    /// The response ends: what has been handed over is all of it.
    pub(super) fn end(&mut self) {
        self.response = Response::Ended;
    }

    /// The clock starts when there is something to take, and goes on while there is.
    fn make_ready(&mut self, now: impl FnOnce() -> Instant) {
        if self.unsent == 0 && self.response == Response::Computing {
            self.since = now();
            self.written = 0;
        }
        self.response = Response::Ready;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// What happens to a stream.
    #[derive(Debug, Clone, Copy)]
    enum Event {
        Receive,
        Respond,
        Compute,
        HandOver(usize),
        Sent(usize),
        End,
    }
    use Event::*;

    /// Since which second, and the name of the state.
    type Expected = (Option<u64>, &'static str);

    /// One event a second, and the state after the last.
    fn state_after(events: &[Event]) -> (StreamState, Instant) {
        let begun = Instant::now();
        let mut stream = Stream::new(0, begun);
        for (second, event) in (1..).zip(events) {
            let now = begun + Duration::from_secs(second);
            match *event {
                Receive => stream.receive(),
                Respond => stream.respond(|| now),
                Compute => stream.compute(),
                HandOver(bytes) => stream.hand_over(bytes, || now),
                Sent(bytes) => stream.sent(bytes, now),
                End => stream.end(),
            }
        }
        (stream.state(), begun)
    }

    #[test]
    fn the_state_follows_from_what_happened() {
        let ready = |second| (Some(second), "ready");
        let unsent = |second| (Some(second), "unsent");
        let receiving = (None, "receiving");
        let computing = (None, "computing");
        let table: &[(&[Event], Expected)] = &[
            (&[], receiving),
            (&[Receive], computing),
            (&[Receive, Respond], ready(2)),
            // A response may come before the end of the request.
            (&[Respond], ready(1)),
            (&[Respond, HandOver(10)], unsent(1)),
            // A part that takes long to compute is not waited for by the client.
            (&[Receive, Respond, Compute], computing),
            (&[Receive, Respond, Compute, HandOver(10)], unsent(4)),
            // What is handed over in addition is no progress of the client.
            (&[Respond, Compute, HandOver(10), HandOver(10)], unsent(3)),
            (&[Respond, Compute, HandOver(10), Compute], unsent(3)),
            // A few bytes are no progress, many or the last are.
            (&[Respond, HandOver(100 << 10), Sent(1 << 10)], unsent(1)),
            (&[Respond, HandOver(100 << 10), Sent(16 << 10)], unsent(3)),
            (
                &[Respond, HandOver(100 << 10), Sent(9 << 10), Sent(9 << 10)],
                unsent(4),
            ),
            (&[Respond, HandOver(10), Sent(10)], ready(3)),
            (
                &[Receive, Respond, HandOver(10), Sent(10), Compute],
                computing,
            ),
            // What is left when the response has ended still has to be taken.
            (&[Receive, Respond, HandOver(10), End], unsent(2)),
            (&[Receive, Respond, HandOver(10), End, Sent(9)], unsent(2)),
            (&[Receive, Respond, HandOver(10), End, Sent(10)], computing),
        ];
        for (events, expected) in table {
            let (state, begun) = state_after(events);
            let (since, name) = match state {
                StreamState::Receiving => (None, "receiving"),
                StreamState::Computing => (None, "computing"),
                StreamState::Ready { since } => (Some(since), "ready"),
                StreamState::Unsent { since } => (Some(since), "unsent"),
            };
            let since = since.map(|since| (since - begun).as_secs());
            assert_eq!((since, name), *expected, "{events:?}");
        }
    }
}
