//! What a connection and its streams are doing. Idle eviction, the timeouts for clients that do
//! not take their responses, and shutdown all ask this module.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::http::Version;
use slab::Slab;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep};

use super::stream_handle::{OpenStream, StreamHandle};
use super::stream_state::Stream;

/// The state of a connection, derived from its streams.
#[derive(Debug, Clone)]
pub(super) struct ConnectionState(Arc<Mutex<Inner>>);

/// How long a connection may stay in a state.
#[derive(Debug, Clone, Copy)]
pub(super) struct Timeouts {
    /// No stream is open.
    pub(super) idle: Duration,
    /// The client does not take its response.
    pub(super) blocked: Duration,
}

/// Why a connection is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IdleReason {
    /// No stream was open for too long.
    Idle,
    /// The client has not taken any of its responses for too long.
    Blocked,
}

/// What the timeouts require.
#[derive(Debug)]
pub(super) enum Liveness {
    /// Nothing is overdue for this time.
    Live { for_at_least: Duration },
    /// These streams are blocked for too long and others are not. They have to be reset.
    Blocked(Vec<AbortHandle>),
    /// The connection has to be closed.
    Overdue(IdleReason),
}

/// The request of an HTTP/1.1 connection, as far as a client matters that sends nothing more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Http1Phase {
    /// The request has not arrived completely.
    Receiving,
    /// It has, and nothing of the response has been sent.
    Waiting,
    /// The response is being sent.
    Responding,
}

#[derive(Debug)]
pub(super) struct Inner {
    pub(super) streams: Slab<Stream>,
    /// The number of the next stream; zero if there has never been one.
    next_number: u64,
    /// The latest stream, and when it was opened.
    latest: usize,
    opened: Instant,
    /// Whether the latest request used HTTP/1.1, which announces the end of the connection with
    /// the response.
    http1: bool,
    /// Whether the connection accepts no further requests.
    last: bool,
    /// Since when the socket has had no room for bytes that have to be written.
    stuck: Option<Instant>,
    /// Since when no stream has been open.
    idle_since: Instant,
    /// Whether the client of the latest HTTP/1.1 request may be gone.
    pub(super) doubted: bool,
    /// Whether everything has been written, and the client knows that nothing follows.
    closed: bool,
    /// How many streams have been reset because their clients did not take the response.
    resets: usize,
}

impl ConnectionState {
    pub(super) fn new() -> Self {
        let now = Instant::now();
        Self(Arc::new(Mutex::new(Inner {
            streams: Slab::new(),
            next_number: 0,
            latest: 0,
            opened: now,
            http1: false,
            last: false,
            stuck: None,
            idle_since: now,
            doubted: false,
            closed: false,
            resets: 0,
        })))
    }

    /// The head of a request has arrived.
    pub(super) fn open(&self, version: Version) -> OpenStream {
        let mut inner = self.lock();
        let number = inner.next_number;
        inner.next_number += 1;
        inner.http1 = version == Version::HTTP_11;
        inner.doubted = false;
        inner.opened = Instant::now();
        let stream = Stream::new(number, inner.opened);
        inner.latest = inner.streams.insert(stream);
        OpenStream::new(StreamHandle::new(self.clone(), inner.latest, number))
    }

    /// The task serves the latest stream, which is reset when the task is aborted.
    pub(super) fn attach(&self, task: AbortHandle) {
        let mut inner = self.lock();
        let (latest, number) = (inner.latest, inner.next_number.wrapping_sub(1));
        // The stream may be over already.
        if let Some(stream) = inner.streams.get_mut(latest)
            && stream.number == number
            && stream.task.is_none()
        {
            stream.task = Some(task);
        }
    }

    /// The state of the request of an HTTP/1.1 connection; `None` if there is none, or all of its
    /// response has been handed over.
    pub(super) fn http1_phase(&self) -> Option<Http1Phase> {
        let inner = self.lock();
        let stream = inner.streams.get(inner.latest)?;
        if !inner.http1 || stream.is_ended() {
            return None;
        }
        Some(match (stream.is_responded(), stream.is_received()) {
            (true, _) => Http1Phase::Responding,
            (false, true) => Http1Phase::Waiting,
            (false, false) => Http1Phase::Receiving,
        })
    }

    /// The client of the latest HTTP/1.1 request may be gone.
    pub(super) fn doubt(&self) {
        self.lock().doubted = true;
    }

    /// Whether a request has ever arrived.
    pub(super) fn is_used(&self) -> bool {
        self.lock().next_number > 0
    }

    /// The next response is the last. Returns whether its head announces that.
    pub(super) fn stop(&self) -> bool {
        let mut inner = self.lock();
        inner.last = true;
        inner.http1
    }

    /// Everything has been written, and the client knows that nothing follows.
    pub(super) fn close(&self) {
        self.lock().closed = true;
    }

    /// Whether [`close`](Self::close) has been called.
    pub(super) fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// How many streams have been reset because their clients did not take the response.
    pub(super) fn resets(&self) -> usize {
        self.lock().resets
    }

    /// The socket has no room for bytes that have to be written, or has some again.
    pub(super) fn stick(&self, stuck: bool) {
        self.lock().stuck = stuck.then(Instant::now);
    }

    /// How long the connection has been idle: no stream is open, and everything that was handed
    /// over has been written. `None` if it is not idle.
    pub(super) fn idle(&self) -> Option<Duration> {
        self.lock().idle_since().map(|since| since.elapsed())
    }

    /// What the timeouts require now.
    pub(super) fn liveness(&self, timeouts: Timeouts) -> Liveness {
        self.lock().liveness(timeouts, Instant::now())
    }

    /// Waits until the connection has to be closed, and resets streams that are blocked for too
    /// long meanwhile. A server that computes may take its time.
    pub(super) async fn overdue(&self, timeouts: Timeouts) -> IdleReason {
        loop {
            match self.liveness(timeouts) {
                Liveness::Live { for_at_least } => sleep(for_at_least).await,
                Liveness::Blocked(tasks) => {
                    tracing::debug!(
                        streams = tasks.len(),
                        "streams are reset whose clients do not take their responses"
                    );
                    tasks.iter().for_each(AbortHandle::abort);
                }
                Liveness::Overdue(reason) => return reason,
            }
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn idle_since(&self) -> Option<Instant> {
        let idle = self.streams.is_empty() && self.stuck.is_none();
        idle.then_some(self.idle_since)
    }

    fn liveness(&mut self, timeouts: Timeouts, now: Instant) -> Liveness {
        let is_over = |since: Instant, timeout| now.duration_since(since) >= timeout;
        if let Some(since) = self.idle_since() {
            if is_over(since, timeouts.idle) {
                return Liveness::Overdue(IdleReason::Idle);
            }
        } else if self
            .stuck
            .is_some_and(|since| is_over(since, timeouts.blocked))
        {
            // No stream of the connection can make progress.
            return Liveness::Overdue(IdleReason::Blocked);
        }
        let is_blocked = |stream: &Stream| {
            let since = stream.blocked_since();
            since.is_some_and(|since| is_over(since, timeouts.blocked))
        };
        let streams = self.streams.iter();
        let blocked: Vec<_> = streams.filter(|(_, stream)| is_blocked(stream)).collect();
        if blocked.is_empty() {
            return Liveness::Live {
                for_at_least: self.next_timeout(timeouts, now),
            };
        }
        let unused = is_over(self.opened, timeouts.blocked);
        let all_blocked = blocked.len() == self.streams.len() && unused;
        if all_blocked || !blocked.iter().all(|(_, stream)| stream.can_be_reset()) {
            return Liveness::Overdue(IdleReason::Blocked);
        }
        let slots: Vec<_> = blocked.iter().map(|(slot, _)| *slot).collect();
        self.resets += slots.len();
        // They are over as soon as their tasks are dropped.
        let tasks = slots
            .into_iter()
            .filter_map(|slot| self.remove(slot, now).task);
        Liveness::Blocked(tasks.collect())
    }

    /// Whether the next response is the last, and its head announces that.
    pub(super) fn is_last_http1(&self) -> bool {
        self.last && self.http1
    }

    pub(super) fn remove(&mut self, slot: usize, now: Instant) -> Stream {
        self.idle_since = now;
        self.streams.remove(slot)
    }

    /// When the first timeout may be over; it need not be, as the state may change meanwhile.
    fn next_timeout(&self, timeouts: Timeouts, now: Instant) -> Duration {
        let left =
            |since: Instant, timeout: Duration| timeout.saturating_sub(now.duration_since(since));
        let streams = self.streams.iter();
        let blocked = streams.filter_map(|(_, stream)| stream.blocked_since());
        let blocked = blocked.chain(self.stuck);
        let blocked = blocked.map(|since| left(since, timeouts.blocked));
        let idle = self.idle_since().map(|since| left(since, timeouts.idle));
        // A state that begins meanwhile is not overdue before then.
        let begins = timeouts.idle.min(timeouts.blocked);
        blocked.chain(idle).fold(begins, Duration::min)
    }
}
