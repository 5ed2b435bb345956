use std::task::Waker;

use tokio::task::AbortHandle;
use tokio::time::Instant;

use crate::MinRate;
use crate::server::min_rate::Progress;

/// The state of one request, from its head to the last byte of its response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StreamState {
    /// The request body has not arrived completely.
    Receiving,
    /// The server computes the response, or its next part.
    Computing,
    /// A part of the response is ready, but the connection has not requested it.
    Ready { since: Instant },
    /// A part of the response has been handed to the connection and is not yet written to the
    /// socket. The client has made no progress since then.
    Unsent { since: Instant },
}

/// The progress of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Response {
    /// The server computes it.
    Computing,
    /// The connection may request the next part.
    Ready,
    /// All of it has been handed over, or it has been dropped.
    Ended,
}

/// A stream, as [`ConnectionState`](crate::server::connection_state::ConnectionState) tracks it.
#[derive(Debug)]
pub(crate) struct Stream {
    /// Distinguishes streams that successively use the same slot.
    pub(crate) number: u64,
    /// The task that sends the response, if the stream can be reset separately.
    pub(crate) task: Option<AbortHandle>,
    /// Wakes the task when at most this many bytes are unsent.
    waker: Option<(usize, Waker)>,
    received: bool,
    responded: bool,
    response: Response,
    /// Bytes that have been handed over but not written.
    unsent: usize,
    /// The bytes that the client has read until `since`, since it last had nothing to read.
    taken: Progress,
    /// Since when the client could have read more.
    since: Instant,
}

impl Stream {
    pub(crate) fn new(number: u64, now: Instant) -> Self {
        Self {
            number,
            task: None,
            waker: None,
            received: false,
            responded: false,
            response: Response::Computing,
            unsent: 0,
            taken: Progress::default(),
            since: now,
        }
    }

    pub(crate) fn state(&self) -> StreamState {
        let since = self.since;
        match self.response {
            _ if self.unsent > 0 => StreamState::Unsent { since },
            Response::Ready => StreamState::Ready { since },
            Response::Computing if !self.received => StreamState::Receiving,
            Response::Computing | Response::Ended => StreamState::Computing,
        }
    }

    /// Returns when the client exceeds its time if it reads nothing until then. `None` if the
    /// server is not waiting for the client.
    pub(crate) fn overdue_at(&self, rule: &MinRate) -> Option<Instant> {
        match self.state() {
            StreamState::Receiving | StreamState::Computing => None,
            StreamState::Ready { since } | StreamState::Unsent { since } => {
                Some(since + rule.wait(&self.taken))
            }
        }
    }

    /// Returns whether the stream can be reset without closing its connection.
    pub(crate) fn can_be_reset(&self) -> bool {
        self.task.as_ref().is_some_and(|task| !task.is_finished())
    }

    /// Returns whether the request has arrived completely.
    pub(crate) fn is_received(&self) -> bool {
        self.received
    }

    /// Returns whether the head of the response is ready.
    pub(crate) fn is_responded(&self) -> bool {
        self.responded
    }

    /// Returns whether all of the response has been handed over, or it has been dropped.
    pub(crate) fn is_ended(&self) -> bool {
        self.response == Response::Ended
    }

    /// Returns whether the stream is complete: its response has ended and is written.
    pub(crate) fn is_finished(&self) -> bool {
        self.is_ended() && self.unsent == 0
    }

    /// Returns the number of bytes that have been handed over but not written.
    pub(crate) fn unsent(&self) -> usize {
        self.unsent
    }

    /// Records that the request has arrived completely.
    pub(crate) fn receive(&mut self) {
        self.received = true;
    }

    /// Records that the head of the response is ready.
    pub(crate) fn respond(&mut self, now: impl FnOnce() -> Instant) {
        self.responded = true;
        self.make_ready(now);
    }

    /// Records that the next part of the response is being computed.
    pub(crate) fn compute(&mut self) {
        if self.response == Response::Ready {
            self.response = Response::Computing;
        }
    }

    /// Records that a part of the response is handed to the connection.
    pub(crate) fn hand_over(&mut self, bytes: usize, now: impl FnOnce() -> Instant) {
        self.make_ready(now);
        self.unsent += bytes;
    }

    /// Records that the connection has written or dropped bytes of the response.
    pub(crate) fn sent(&mut self, bytes: usize, now: Instant) {
        self.unsent = self.unsent.saturating_sub(bytes);
        if self.is_finished() {
            return;
        }
        let waited = now.saturating_duration_since(self.since);
        self.taken.advance(bytes, waited);
        self.since = now;
    }

    /// Sets the waker to use when at most this many bytes are unsent.
    pub(crate) fn wake_at(&mut self, unsent: usize, waker: Waker) {
        self.waker = Some((unsent, waker));
    }

    /// Returns the waker to wake now.
    pub(crate) fn take_waker(&mut self) -> Option<Waker> {
        let (_, waker) = self.waker.take_if(|(unsent, _)| self.unsent <= *unsent)?;
        Some(waker)
    }

    /// Ends the response: all of it has been handed over.
    pub(crate) fn end(&mut self) {
        self.response = Response::Ended;
    }

    /// Starts the clock when there is something to read. It keeps running while there is.
    fn make_ready(&mut self, now: impl FnOnce() -> Instant) {
        if self.unsent == 0 && self.response == Response::Computing {
            self.since = now();
            self.taken = Progress::default();
        }
        self.response = Response::Ready;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// An event of a stream.
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

    /// The second since which the state lasts, and its name.
    type Expected = (Option<u64>, &'static str);

    /// Applies one event per second and returns the stream after the last one.
    fn stream_after(events: &[Event]) -> (Stream, Instant) {
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
        (stream, begun)
    }

    #[test]
    fn state_follows_the_events() {
        let ready = |second| (Some(second), "ready");
        let unsent = |second| (Some(second), "unsent");
        let receiving = (None, "receiving");
        let computing = (None, "computing");
        let table: &[(&[Event], Expected)] = &[
            (&[], receiving),
            (&[Receive], computing),
            (&[Receive, Respond], ready(2)),
            // A response may begin before the request ends.
            (&[Respond], ready(1)),
            (&[Respond, HandOver(10)], unsent(1)),
            // The client does not wait for a part that is still being computed.
            (&[Receive, Respond, Compute], computing),
            (&[Receive, Respond, Compute, HandOver(10)], unsent(4)),
            // Handing over more data is not progress of the client.
            (&[Respond, Compute, HandOver(10), HandOver(10)], unsent(3)),
            (&[Respond, Compute, HandOver(10), Compute], unsent(3)),
            // Every read restarts the clock. The extension of the timeout by a read is tested
            // separately.
            (&[Respond, HandOver(100 << 10), Sent(1)], unsent(3)),
            (&[Respond, HandOver(10), Sent(10)], ready(3)),
            (
                &[Receive, Respond, HandOver(10), Sent(10), Compute],
                computing,
            ),
            // The rest must still be read after the response has ended.
            (&[Receive, Respond, HandOver(10), End], unsent(2)),
            (&[Receive, Respond, HandOver(10), End, Sent(9)], unsent(5)),
            (&[Receive, Respond, HandOver(10), End, Sent(10)], computing),
        ];
        for (events, expected) in table {
            let (stream, begun) = stream_after(events);
            let (since, name) = match stream.state() {
                StreamState::Receiving => (None, "receiving"),
                StreamState::Computing => (None, "computing"),
                StreamState::Ready { since } => (Some(since), "ready"),
                StreamState::Unsent { since } => (Some(since), "unsent"),
            };
            let since = since.map(|since| (since - begun).as_secs());
            assert_eq!((since, name), *expected, "{events:?}");
        }
    }

    #[test]
    fn client_timeout_grows_with_its_bytes() {
        let rule = MinRate {
            pause: Duration::from_secs(20),
            bytes_per_second: 16 << 10,
        };
        let table: &[(&[Event], Option<u64>)] = &[
            (&[Receive], None),
            (&[Receive, Respond], Some(22)),
            (&[Respond, HandOver(1 << 20)], Some(21)),
            // Five bytes in a second extend the timeout by less than a second.
            (&[Respond, HandOver(1 << 20), Sent(5)], Some(21)),
            (&[Respond, HandOver(1 << 20), Sent(16 << 10)], Some(22)),
            (&[Respond, HandOver(1 << 20), Sent(512 << 10)], Some(23)),
            (&[Respond, HandOver(9), Sent(9), HandOver(9)], Some(21)),
            // A client that has read everything gets a new timeout.
            (
                &[Respond, HandOver(9), Sent(9), Compute, HandOver(9)],
                Some(25),
            ),
        ];
        for (events, expected) in table {
            let (stream, begun) = stream_after(events);
            let overdue = stream.overdue_at(&rule);
            let overdue = overdue.map(|at| (at - begun).as_secs());
            assert_eq!(overdue, *expected, "{events:?}");
        }
    }
}
