use std::time::{Duration, Instant};

use super::goaway;
use super::sockets::{READABLE, WRITABLE};
use super::tcp::Tcp;

/// How long a connection must be quiet before it counts as between two requests. The kernel's
/// timestamps are coarse, and a client that sent `Expect: 100-continue` is about to send a body.
const QUIET_TIME: Duration = Duration::from_millis(300);

/// The largest piece that tritonserver writes to a socket at once.
const MAX_WRITE_BYTES: u64 = 16 << 10;

/// The number of consecutive polls with at most [`MAX_WRITE_BYTES`] bytes sent.
const MIN_QUIET_POLLS: u32 = 3;

/// How long a connection with an open call must be silent before no more traffic is expected.
pub(super) const SILENCE_TIMEOUT: Duration = Duration::from_secs(2);

/// The protocol of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protocol {
    Http,
    Grpc,
}

/// The state of a connection at one poll.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Snapshot {
    pub(super) tcp: Tcp,
    /// The `epoll` events that tritonserver awaits on it.
    pub(super) awaited: u32,
}

/// The action to take on a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Do nothing: something may be in flight, or the step was already taken.
    Wait,
    /// Shut down the reading side; nothing that arrives from now on has to be read.
    CloseReading,
    /// Send the client a `GOAWAY`.
    SendGoaway,
}

/// A connection of a tritonserver that is shutting down.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) protocol: Protocol,
    first: Tcp,
    received: u64,
    delivered: u64,
    quiet_polls: u32,
    done: bool,
    moved: Instant,
    abandoned: bool,
}

impl Connection {
    pub(super) fn new(protocol: Protocol, tcp: Tcp, now: Instant) -> Self {
        let idle_time = tcp.since_received.min(tcp.since_sent);
        Self {
            protocol,
            first: tcp,
            received: tcp.received,
            delivered: tcp.delivered,
            quiet_polls: 0,
            done: false,
            moved: now.checked_sub(idle_time).unwrap_or(now),
            abandoned: false,
        }
    }

    /// Returns the action for the current poll. After any action but [`Step::Wait`], call
    /// [`done`](Self::done) once.
    pub(super) fn next_step(&mut self, snapshot: Snapshot, now: Instant) -> Step {
        let tcp = snapshot.tcp;
        let sent = tcp.delivered.saturating_sub(self.delivered);
        if tcp.received > self.received || sent > 0 {
            self.moved = now;
        }
        self.abandoned |= self.protocol == Protocol::Grpc && tcp.closed && tcp.unread == 0;
        self.received = tcp.received;
        self.delivered = tcp.delivered.max(self.delivered);
        self.quiet_polls = match sent > MAX_WRITE_BYTES || tcp.sending {
            true => 0,
            false => self.quiet_polls.saturating_add(1),
        };
        match self.protocol {
            _ if self.done => Step::Wait,
            Protocol::Http => self.http(snapshot),
            Protocol::Grpc => self.grpc(tcp),
        }
    }

    /// Records that a step was taken.
    pub(super) fn done(&mut self, step: Step) {
        self.done = true;
        if step == Step::SendGoaway {
            // Delivery of our own frame is not activity of the server.
            self.delivered += goaway::LENGTH;
        }
    }

    /// Returns whether no byte has moved for [`SILENCE_TIMEOUT`] on a gRPC connection.
    ///
    /// Only idle streams keep such a connection open. Over HTTP only an unfinished request keeps a
    /// connection open, so it always counts as awaited.
    pub(super) fn is_silent(&self, now: Instant) -> bool {
        let silence = now.saturating_duration_since(self.moved);
        self.protocol == Protocol::Grpc && silence >= SILENCE_TIMEOUT
    }

    /// Returns whether the client is gone.
    ///
    /// Over gRPC, a client that stops sending has closed the connection and cancelled its calls.
    /// Over HTTP it may still wait for its response.
    pub(super) fn is_abandoned(&self) -> bool {
        self.abandoned
    }

    /// Records that the connection was broken off.
    pub(super) fn mark_abandoned(&mut self) {
        self.abandoned = true;
    }

    /// Chooses the step for an HTTP connection. tritonserver does not read from a connection
    /// between the end of a request and the end of its response.
    fn http(&self, Snapshot { tcp, awaited }: Snapshot) -> Step {
        if awaited & READABLE == 0 {
            return Step::CloseReading;
        }
        if awaited & WRITABLE > 0 || tcp.sending || tcp.unread > 0 {
            return Step::Wait;
        }
        if tcp.received == 0 {
            return Step::CloseReading;
        }
        // The last bytes received have no response yet: they are part of a request.
        if tcp.delivered == 0 || tcp.since_received < tcp.since_sent {
            return Step::Wait;
        }
        let answered = tcp.delivered > self.first.delivered;
        match answered || tcp.since_received.min(tcp.since_sent) >= QUIET_TIME {
            true => Step::CloseReading,
            false => Step::Wait,
        }
    }

    /// Chooses the step for a gRPC connection.
    ///
    /// A frame of ours may be written only between two frames of tritonserver. A frame is
    /// unfinished if the socket did not take all of a large piece, so no large piece may have been
    /// sent recently.
    fn grpc(&self, tcp: Tcp) -> Step {
        if tcp.received == 0 {
            return Step::CloseReading;
        }
        let greeted = tcp.delivered > 0;
        match greeted
            && !tcp.sending
            && (self.quiet_polls >= MIN_QUIET_POLLS || tcp.since_sent >= QUIET_TIME)
        {
            true => Step::SendGoaway,
            false => Step::Wait,
        }
    }
}

#[cfg(test)]
#[path = "connection_tests.rs"]
mod tests;
