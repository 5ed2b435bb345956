//! The state of connections and their streams. Idle eviction, the timeouts for clients that do not
//! read their responses, and shutdown all use this module.

use std::sync::Arc;
use std::time::Duration;

use http::Version;
use parking_lot::{Mutex, MutexGuard};
use slab::Slab;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep};

use crate::server::retirement::Retirement;
use crate::server::stream_state::Stream;
use crate::server::timeouts::Timeouts;
use crate::server::trailers_memory::TrailersMemory;

/// The state of a connection, derived from its streams.
#[derive(Debug, Clone)]
pub(crate) struct ConnectionState(Arc<Mutex<Inner>>);

/// The reason for closing a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IdleReason {
    /// No stream was open for too long.
    Idle,
    /// The client did not read any response for too long.
    Blocked,
}

/// The action that the timeouts require.
#[derive(Debug)]
pub(crate) enum Liveness {
    /// Nothing is overdue for at least this long.
    Live { for_at_least: Duration },
    /// The streams in these slots have been blocked for too long and must be reset. Others have not.
    Blocked(Vec<usize>),
    /// The connection must be closed.
    Overdue {
        /// Why.
        reason: IdleReason,
        /// Since when it has been in this state.
        since: Instant,
    },
}

/// The phase of an HTTP/1.1 request whose client has closed its side of the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Http1Phase {
    /// The request has not arrived completely.
    Receiving,
    /// The request has arrived, and nothing of the response has been sent.
    Waiting,
    /// The response is being sent.
    Responding,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) streams: Slab<Stream>,
    /// The number of the next stream. Zero if no stream has been opened yet.
    pub(crate) next_number: u64,
    /// The number of HTTP/2 heads that have begun. h2 does not pass all of them on.
    pub(crate) heads: u64,
    pub(crate) trailers: Option<Box<TrailersMemory>>,
    pub(crate) retirement: Retirement,
    /// The slot of the latest stream, and when it was opened.
    latest: usize,
    opened: Instant,
    /// Whether the latest request used HTTP/1.1. Its response can announce that the connection
    /// closes.
    http1: bool,
    /// Whether the connection accepts no further requests.
    last: bool,
    /// Since when the socket has had no space for pending bytes.
    stalled: Option<Instant>,
    /// Since when no stream has been open.
    idle_since: Instant,
    /// Whether the client of the latest HTTP/1.1 request may have disconnected.
    pub(crate) hangup_suspected: bool,
    /// Whether everything has been written and the client knows that nothing follows.
    closed: bool,
    /// The number of streams that were reset because the client did not read the response.
    resets: usize,
}

impl ConnectionState {
    pub(crate) fn new() -> Self {
        let now = Instant::now();
        Self(Arc::new(Mutex::new(Inner {
            streams: Slab::new(),
            next_number: 0,
            heads: 0,
            trailers: None,
            retirement: Retirement::default(),
            latest: 0,
            opened: now,
            http1: false,
            last: false,
            stalled: None,
            idle_since: now,
            hangup_suspected: false,
            closed: false,
            resets: 0,
        })))
    }

    /// Records that the head of a request has arrived. Returns the slot and the number of its
    /// stream.
    #[inline]
    pub(crate) fn insert(&self, version: Version) -> (usize, u64) {
        let mut inner = self.lock();
        let number = inner.next_number;
        inner.next_number += 1;
        inner.http1 = version == Version::HTTP_11;
        inner.hangup_suspected = false;
        inner.opened = Instant::now();
        let stream = Stream::new(number, inner.opened);
        inner.latest = inner.streams.insert(stream);
        inner.release_trailers();
        (inner.latest, number)
    }

    /// Sets the task of the latest stream. Aborting the task resets the stream.
    pub(crate) fn attach(&self, task: AbortHandle) {
        let mut inner = self.lock();
        let (latest, number) = (inner.latest, inner.next_number.wrapping_sub(1));
        // The stream may have ended already.
        if let Some(stream) = inner.streams.get_mut(latest)
            && stream.number == number
            && stream.task.is_none()
        {
            stream.task = Some(task);
        }
    }

    /// Returns the phase of the current HTTP/1.1 request. Returns `None` if no request is active,
    /// or if the whole response has been handed over.
    pub(crate) fn http1_phase(&self) -> Option<Http1Phase> {
        self.lock().http1_phase()
    }

    /// Returns the number of requests whose heads have arrived, and whether the body of the latest
    /// is still arriving.
    #[inline]
    pub(crate) fn http1_requests(&self) -> (u64, bool) {
        let inner = self.lock();
        let latest = inner.streams.get(inner.latest);
        let arriving = latest.is_some_and(|stream| !stream.is_received());
        (inner.next_number, arriving)
    }

    /// Records that the client of the latest HTTP/1.1 request may have disconnected.
    pub(crate) fn suspect_hangup(&self) {
        self.lock().hangup_suspected = true;
    }

    /// Returns whether a request has ever arrived.
    pub(crate) fn is_used(&self) -> bool {
        self.lock().next_number > 0
    }

    /// Makes the next response the last one. Returns whether its head announces this.
    pub(crate) fn stop(&self) -> bool {
        let mut inner = self.lock();
        inner.last = true;
        inner.http1
    }

    /// Records that everything has been written and the client knows that nothing follows.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
    }

    /// Returns whether [`close`](Self::close) has been called.
    pub(crate) fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// Returns how many streams were reset because the client did not read the response.
    pub(crate) fn resets(&self) -> usize {
        self.lock().resets
    }

    /// Records whether the socket has no space for pending bytes.
    pub(crate) fn set_stalled(&self, stalled: bool) {
        self.lock().stalled = stalled.then(Instant::now);
    }

    /// Returns what these timeouts require now.
    pub(crate) fn liveness(&self, timeouts: Timeouts) -> Liveness {
        self.lock().liveness(timeouts, Instant::now())
    }

    /// Waits until the connection must be closed. Meanwhile, resets streams that are blocked for
    /// too long. A response that is being computed has no timeout.
    pub(crate) async fn overdue(&self, timeouts: Timeouts) -> IdleReason {
        loop {
            let (liveness, blocked) = self.remove_blocked(timeouts);
            match liveness {
                Liveness::Live { for_at_least } => sleep(for_at_least).await,
                Liveness::Blocked(_) => {
                    tracing::debug!(
                        streams = blocked.len(),
                        "resetting streams whose clients do not read their responses"
                    );
                    blocked.iter().for_each(AbortHandle::abort);
                }
                Liveness::Overdue { reason, .. } => return reason,
            }
        }
    }

    /// Returns what these timeouts require now. Removes the streams that must be reset and returns
    /// their tasks.
    fn remove_blocked(&self, timeouts: Timeouts) -> (Liveness, Vec<AbortHandle>) {
        let (mut inner, now) = (self.lock(), Instant::now());
        let liveness = inner.liveness(timeouts, now);
        let tasks = match &liveness {
            Liveness::Blocked(slots) => inner.reset(slots, now),
            _ => Vec::new(),
        };
        (liveness, tasks)
    }

    #[inline]
    pub(crate) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock()
    }
}

impl Inner {
    fn http1_phase(&self) -> Option<Http1Phase> {
        let stream = self.streams.get(self.latest)?;
        if !self.http1 || stream.is_ended() {
            return None;
        }
        Some(match (stream.is_responded(), stream.is_received()) {
            (true, _) => Http1Phase::Responding,
            (false, true) => Http1Phase::Waiting,
            (false, false) => Http1Phase::Receiving,
        })
    }

    /// Returns since when the connection has been idle: no stream is open, and everything that was
    /// handed over has been written. `None` if it is not idle.
    fn idle_since(&self) -> Option<Instant> {
        let idle = self.streams.is_empty() && self.stalled.is_none();
        idle.then_some(self.idle_since)
    }

    fn liveness(&self, timeouts: Timeouts, now: Instant) -> Liveness {
        let is_over = |since: Instant, timeout| now.duration_since(since) >= timeout;
        if let Some(since) = self.idle_since() {
            if is_over(since, timeouts.idle) {
                let reason = IdleReason::Idle;
                return Liveness::Overdue { reason, since };
            }
        } else if let Some(since) = self.stalled
            && is_over(since, timeouts.response.pause)
        {
            // No stream of the connection can make progress.
            let reason = IdleReason::Blocked;
            return Liveness::Overdue { reason, since };
        }
        let mut for_at_least = self.next_timeout(timeouts, now);
        let mut blocked = Vec::new();
        for (slot, stream) in &self.streams {
            match stream.overdue_at(&timeouts.response) {
                Some(at) if at <= now => blocked.push((slot, stream)),
                Some(at) => for_at_least = for_at_least.min(at - now),
                None => {}
            }
        }
        if blocked.is_empty() {
            return Liveness::Live { for_at_least };
        }
        let unused = is_over(self.opened, timeouts.response.pause);
        let all_blocked = blocked.len() == self.streams.len() && unused;
        if all_blocked || !blocked.iter().all(|(_, stream)| stream.can_be_reset()) {
            return Liveness::Overdue {
                reason: IdleReason::Blocked,
                since: now,
            };
        }
        Liveness::Blocked(blocked.iter().map(|(slot, _)| *slot).collect())
    }

    /// Removes blocked streams and returns their tasks. The streams end when these are dropped.
    fn reset(&mut self, slots: &[usize], now: Instant) -> Vec<AbortHandle> {
        self.resets += slots.len();
        let slots = slots.iter();
        slots
            .filter_map(|&slot| self.remove(slot, now).task)
            .collect()
    }

    /// Returns whether the next response is the last one and its head announces this.
    pub(crate) fn is_last_http1(&self) -> bool {
        self.last && self.http1
    }

    pub(crate) fn remove(&mut self, slot: usize, now: Instant) -> Stream {
        self.idle_since = now;
        let stream = self.streams.remove(slot);
        self.release_trailers();
        stream
    }

    /// Returns the time until the first timeout of the connection can expire. The state may change
    /// before then.
    fn next_timeout(&self, timeouts: Timeouts, now: Instant) -> Duration {
        let left =
            |since: Instant, timeout: Duration| timeout.saturating_sub(now.duration_since(since));
        let stalled = self
            .stalled
            .map(|since| left(since, timeouts.response.pause));
        let idle = self.idle_since().map(|since| left(since, timeouts.idle));
        // A state that begins later cannot be overdue before this.
        let begins = timeouts.idle.min(timeouts.response.pause);
        stalled.into_iter().chain(idle).fold(begins, Duration::min)
    }
}
