use std::time::{Duration, Instant};

use super::goaway;
use super::sockets::{READABLE, WRITABLE};
use super::tcp::Tcp;

/// How long nothing must have come or gone on a connection that seems to be between two requests: the account of time is
/// coarse, and a client that asked whether it may send its body (`Expect: 100-continue`) is about to.
const LULL: Duration = Duration::from_millis(300);

/// How much tritonserver writes to a socket in one piece, whatever the socket.
const PIECE: u64 = 16 << 10;

/// In how many looks one after the other no more than that must have gone.
const CALM: u32 = 3;

/// How long no byte must have moved on a connection with a call that is open, until nothing is expected of it any more.
pub(super) const SILENCE: Duration = Duration::from_secs(2);

/// What is spoken on a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protocol {
    Http,
    Grpc,
}

/// What one look shows of a connection.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sight {
    pub(super) tcp: Tcp,
    /// What tritonserver waits for on it.
    pub(super) awaited: u32,
}

/// What is to be done with a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Something may be under way that must not be disturbed, or all is done.
    Wait,
    /// Nothing that comes from now on need be read.
    CloseReading,
    /// The client can be told to go away.
    Dismiss,
}

/// A connection of a tritonserver that stops.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) protocol: Protocol,
    first: Tcp,
    received: u64,
    delivered: u64,
    calm: u32,
    done: bool,
    moved: Instant,
    deserted: bool,
}

impl Connection {
    pub(super) fn new(protocol: Protocol, tcp: Tcp, now: Instant) -> Self {
        let still = tcp.since_received.min(tcp.since_sent);
        Self {
            protocol,
            first: tcp,
            received: tcp.received,
            delivered: tcp.delivered,
            calm: 0,
            done: false,
            moved: now.checked_sub(still).unwrap_or(now),
            deserted: false,
        }
    }

    /// What is to be done at a look. What is not [`Step::Wait`] has to be [`done`](Self::done) once.
    pub(super) fn judge(&mut self, sight: Sight, now: Instant) -> Step {
        let tcp = sight.tcp;
        let gone = tcp.delivered.saturating_sub(self.delivered);
        if tcp.received > self.received || gone > 0 {
            self.moved = now;
        }
        self.deserted |= self.protocol == Protocol::Grpc && tcp.closed && tcp.unread == 0;
        self.received = tcp.received;
        self.delivered = tcp.delivered.max(self.delivered);
        self.calm = match gone > PIECE || tcp.sending {
            true => 0,
            false => self.calm.saturating_add(1),
        };
        match self.protocol {
            _ if self.done => Step::Wait,
            Protocol::Http => self.http(sight),
            Protocol::Grpc => self.grpc(tcp),
        }
    }

    /// Notes that a step was taken.
    pub(super) fn done(&mut self, step: Step) {
        self.done = true;
        if step == Step::Dismiss {
            // That these bytes arrive is no news.
            self.delivered += goaway::LENGTH;
        }
    }

    /// Whether no byte has moved for so long that the calls that keep the connection open seem to be streams over which
    /// nobody asks any more. Over HTTP only a request that has not come to its end keeps one open, and that is awaited.
    pub(super) fn is_silent(&self, now: Instant) -> bool {
        let silence = now.saturating_duration_since(self.moved);
        self.protocol == Protocol::Grpc && silence >= SILENCE
    }

    /// Whether there is nobody who could hear anything: over gRPC the end of what a client sends is the end of its
    /// connection, and its calls are taken back; over HTTP it may still wait for its answer.
    pub(super) fn is_deserted(&self) -> bool {
        self.deserted
    }

    /// Notes that it was broken off.
    pub(super) fn broken_off(&mut self) {
        self.deserted = true;
    }

    /// tritonserver does not read from a connection from the moment on at which it has a whole request until the answer is
    /// written.
    fn http(&self, Sight { tcp, awaited }: Sight) -> Step {
        if awaited & READABLE == 0 {
            return Step::CloseReading;
        }
        if awaited & WRITABLE > 0 || tcp.sending || tcp.unread > 0 {
            return Step::Wait;
        }
        if tcp.received == 0 {
            return Step::CloseReading;
        }
        // The last that has come is not answered: it is a part of a request.
        if tcp.delivered == 0 || tcp.since_received < tcp.since_sent {
            return Step::Wait;
        }
        let answered = tcp.delivered > self.first.delivered;
        match answered || tcp.since_received.min(tcp.since_sent) >= LULL {
            true => Step::CloseReading,
            false => Step::Wait,
        }
    }

    /// What is written between two frames of tritonserver's is a frame, what is written within one destroys it. A frame is
    /// unfinished where the socket did not take all of a large piece; so nothing large must have gone for a while.
    fn grpc(&self, tcp: Tcp) -> Step {
        if tcp.received == 0 {
            return Step::CloseReading;
        }
        let greeted = tcp.delivered > 0;
        match greeted && !tcp.sending && (self.calm >= CALM || tcp.since_sent >= LULL) {
            true => Step::Dismiss,
            false => Step::Wait,
        }
    }
}

#[cfg(test)]
#[path = "connection_tests.rs"]
mod tests;
