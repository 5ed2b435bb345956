use std::fmt;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::PoisonError;
use std::time::Duration;

use crate::ring::{Message, Ring};
use crate::shm::{Allocated, Arena, Control, Futex, Watched, trim_heap};
use crate::sync::{AtomicBool, Mutex, MutexGuard, Ordering};

use super::SessionError;
use super::outgoing::Outgoing;

/// The part of a session that both sides share.
pub(super) struct End {
    pub(super) control: Control,
    pub(super) socket: UnixStream,
    pub(super) outgoing: Mutex<Outgoing>,
    /// The peer is gone, or the session is broken.
    closed: AtomicBool,
    /// No more messages are awaited.
    pub(super) ending: AtomicBool,
    /// Whether memory was allocated since the last check.
    used: AtomicBool,
    side: Side,
    /// Called once, when the session is closed.
    on_close: Box<dyn Fn() + Send + Sync>,
}

/// The side of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// tritonserver's side.
    Client,
    /// The worker's side.
    Server,
}

/// How long memory must be unused before it is released.
const IDLE: Duration = Duration::from_secs(2);

impl End {
    pub(super) fn new(
        side: Side,
        control: Control,
        socket: UnixStream,
        on_close: Box<dyn Fn() + Send + Sync>,
    ) -> Self {
        Self {
            control,
            socket,
            outgoing: Mutex::default(),
            closed: AtomicBool::new(false),
            ending: AtomicBool::new(false),
            used: AtomicBool::new(false),
            side,
            on_close,
        }
    }

    /// Returns the ring that this side writes.
    pub(super) fn out(&self) -> Ring<'_, Futex> {
        match self.side {
            Side::Client => self.control.down(),
            Side::Server => self.control.up(),
        }
    }

    /// Returns the ring that this side reads.
    pub(super) fn incoming(&self) -> Ring<'_, Futex> {
        match self.side {
            Side::Client => self.control.up(),
            Side::Server => self.control.down(),
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Returns the flag that waiting threads check.
    pub(super) fn closed(&self) -> &AtomicBool {
        &self.closed
    }

    /// Ends the session on both sides, and wakes all waiting threads.
    pub(super) fn close(&self) {
        let before = self.closed.swap(true, Ordering::AcqRel);
        self.end();
        if !before {
            // An error means that the peer has already closed it.
            let _ = self.socket.shutdown(Shutdown::Both);
            (self.on_close)();
        }
    }

    /// Stops waiting for messages.
    pub(super) fn end(&self) {
        self.ending.store(true, Ordering::Release);
        self.control.down().close();
        self.control.up().close();
    }

    /// Allocates memory. `announce` creates the message that announces a new segment.
    pub(super) fn allocate(
        &self,
        outgoing: &mut Outgoing,
        len: usize,
        announce: fn(u32) -> Message,
    ) -> Result<Allocated, SessionError> {
        self.used.store(true, Ordering::Relaxed);
        outgoing.allocate(&self.out(), &self.socket, len, announce)
    }

    /// Returns whether there is memory that should be released when unused.
    pub(super) fn is_large(outgoing: &Outgoing) -> bool {
        outgoing.arena.committed() > Arena::KEPT_BYTES
    }

    /// The interval of that check.
    pub(super) const IDLE: Duration = IDLE;

    fn retired(&self) -> fn(u32) -> Message {
        match self.side {
            Side::Client => |number| crate::protocol::ToWorker::Retired(number).to_message(),
            Side::Server => |number| crate::protocol::ToServer::Retired(number).to_message(),
        }
    }
}

impl Watched for End {
    fn hung_up(&self) {
        self.close();
    }

    fn due(&self) -> Option<Duration> {
        let idle = !self.used.swap(false, Ordering::Relaxed);
        // Another thread is using the memory. It may be waiting for this very thread to report that
        // the peer is gone.
        let Ok(mut outgoing) = self.outgoing.try_lock() else {
            return Some(IDLE);
        };
        let ring = self.out();
        for number in outgoing.relax(&ring, idle) {
            // A segment that stays mapped on the other side costs only address space, until the
            // session ends.
            let _ = outgoing.push(&ring, &self.retired()(number));
        }
        outgoing.producer.publish(&ring);
        drop(outgoing);
        if idle {
            trim_heap();
            return None;
        }
        Some(IDLE)
    }
}

impl fmt::Debug for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("End")
            .field("side", &self.side)
            .field("closed", &self.is_closed())
            .finish_non_exhaustive()
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No panic can leave this state inconsistent.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
