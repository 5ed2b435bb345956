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

/// What both sides have of a session.
pub(super) struct End {
    pub(super) control: Control,
    pub(super) socket: UnixStream,
    pub(super) outgoing: Mutex<Outgoing>,
    /// The other side is gone, or the session is broken.
    closed: AtomicBool,
    /// No message is waited for any more.
    pub(super) ending: AtomicBool,
    /// Whether memory was taken since somebody looked.
    used: AtomicBool,
    side: Side,
    /// Called when the session is closed, once.
    on_close: Box<dyn Fn() + Send + Sync>,
}

/// Which of the two it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// tritonserver's.
    Client,
    /// The worker's.
    Server,
}

/// For how long memory must not have been needed until it is given back.
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

    /// The ring on which this side writes.
    pub(super) fn out(&self) -> Ring<'_, Futex> {
        match self.side {
            Side::Client => self.control.down(),
            Side::Server => self.control.up(),
        }
    }

    /// The ring from which this side reads.
    pub(super) fn incoming(&self) -> Ring<'_, Futex> {
        match self.side {
            Side::Client => self.control.up(),
            Side::Server => self.control.down(),
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// What says so to whoever waits.
    pub(super) fn closed(&self) -> &AtomicBool {
        &self.closed
    }

    /// Ends the session on both sides: whoever waits for anything of it hears so.
    pub(super) fn close(&self) {
        let before = self.closed.swap(true, Ordering::AcqRel);
        self.end();
        if !before {
            // It is closed already where the other side has closed it.
            let _ = self.socket.shutdown(Shutdown::Both);
            (self.on_close)();
        }
    }

    /// Lets nobody wait for messages any more.
    pub(super) fn end(&self) {
        self.ending.store(true, Ordering::Release);
        self.control.down().close();
        self.control.up().close();
    }

    /// Takes memory; the message that announces a new segment is made by `announce`.
    pub(super) fn allocate(
        &self,
        outgoing: &mut Outgoing,
        len: usize,
        announce: fn(u32) -> Message,
    ) -> Result<Allocated, SessionError> {
        self.used.store(true, Ordering::Relaxed);
        outgoing.allocate(&self.out(), &self.socket, len, announce)
    }

    /// Whether there is memory that should be given back when nobody needs it.
    pub(super) fn is_large(outgoing: &Outgoing) -> bool {
        outgoing.arena.committed() > Arena::SPARE
    }

    /// After so long it should be looked at again.
    pub(super) const IDLE: Duration = IDLE;

    fn retired(&self) -> fn(u32) -> Message {
        match self.side {
            Side::Client => |number| crate::wire::Down::Retired(number).to_message(),
            Side::Server => |number| crate::wire::Up::Retired(number).to_message(),
        }
    }
}

impl Watched for End {
    fn hung_up(&self) {
        self.close();
    }

    fn due(&self) -> Option<Duration> {
        let idle = !self.used.swap(false, Ordering::Relaxed);
        // Whoever has it is using the memory, and may wait for this very thread to say that the other side is gone.
        let Ok(mut outgoing) = self.outgoing.try_lock() else {
            return Some(IDLE);
        };
        let ring = self.out();
        for number in outgoing.relax(&ring, idle) {
            // A segment that stays mapped on the other side costs addresses, and goes with the session.
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
    // Nothing under these locks panics half-way.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
