use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::arena::align;
use crate::shm::{Allocated, Control, Registration, State, Watch, Watched, connect, receive};
use crate::sync::Mutex;
use crate::wire::{Down, WireError};

use super::end::{End, Side, lock};
use super::receiver::{Incoming, Receiver};
use super::{Hello, SessionError, Welcome};

/// tritonserver's side of a session.
#[derive(Debug)]
pub struct Client {
    // Before the end that it watches.
    registration: Registration,
    pub(super) end: Arc<End>,
    incoming: Mutex<Incoming>,
}

/// A batch that is being written.
#[derive(Debug)]
pub struct Unasked {
    allocated: Allocated,
    description: usize,
    start: usize,
    data: usize,
}

/// How long the worker may take for its part of the greeting.
const PATIENCE: Duration = Duration::from_secs(10);

impl Client {
    /// Connects to the worker's socket; `on_close` is called once, when the session has ended.
    ///
    /// # Errors
    ///
    /// A [`SessionError`] when nobody listens, or the session is refused.
    pub fn connect(
        path: &Path,
        hello: &Hello,
        on_close: impl Fn() + Send + Sync + 'static,
    ) -> Result<(Self, Welcome), SessionError> {
        Self::greet(Self::reach(path)?, hello, on_close)
    }

    /// A way to the worker, on which nothing has been said.
    ///
    /// # Errors
    ///
    /// [`SessionError::Io`] when nobody listens.
    pub fn reach(path: &Path) -> Result<UnixStream, SessionError> {
        Ok(connect(path)?)
    }

    /// Opens a session on such a way: [`connect`](Self::connect) without its beginning. It waits as long as the worker makes
    /// instances, unless somebody shuts the socket down.
    ///
    /// # Errors
    ///
    /// A [`SessionError`] when the session is refused, or the way ends.
    pub fn greet(
        mut socket: UnixStream,
        hello: &Hello,
        on_close: impl Fn() + Send + Sync + 'static,
    ) -> Result<(Self, Welcome), SessionError> {
        let watch = Watch::current()?;
        socket.set_read_timeout(Some(PATIENCE))?;
        socket.set_write_timeout(Some(PATIENCE))?;
        hello.send(&mut socket)?;
        let welcome = Welcome::receive(&mut socket)?;
        let [control]: [OwnedFd; 1] = receive(&socket)?;
        let control = Control::open(control, welcome.slots)?;
        let end = Arc::new(End::new(Side::Client, control, socket, Box::new(on_close)));
        let watched: Arc<dyn Watched> = Arc::<End>::clone(&end);
        let registration = watch.register(end.socket.as_fd(), watched)?;
        let client = Self {
            registration,
            end,
            incoming: Mutex::default(),
        };
        Ok((client, welcome))
    }

    /// Whether the session has ended.
    pub fn is_closed(&self) -> bool {
        self.end.is_closed()
    }

    /// Whether readiness checks should pass. Batches can be sent even if not, while the server stops.
    pub fn is_ready(&self) -> bool {
        !self.end.is_closed() && self.end.control.is_ready()
    }

    /// Memory for a batch of so many bytes of description and tensors.
    ///
    /// # Errors
    ///
    /// A [`SessionError`] when there is none, or nobody to ask.
    pub fn prepare(&self, description: usize, data: usize) -> Result<Unasked, SessionError> {
        if self.end.is_closed() {
            return Err(SessionError::Closed);
        }
        if self.end.control.state() == State::Unavailable {
            return Err(SessionError::Unavailable);
        }
        let start = align(description).ok_or(WireError::Bounds)?;
        let len = start.checked_add(data).ok_or(WireError::Bounds)?;
        let mut outgoing = lock(&self.end.outgoing);
        let announce = |number| Down::Segment(number).to_message();
        let allocated = self.end.allocate(&mut outgoing, len, announce)?;
        if End::is_large(&outgoing) {
            self.registration.arm(End::IDLE);
        }
        Ok(Unasked {
            allocated,
            description,
            start,
            data,
        })
    }

    /// Hands a batch over under a number that no other batch of the session has.
    ///
    /// # Errors
    ///
    /// A [`SessionError`] when it is not handed over.
    pub fn ask(&self, batch: u64, unasked: Unasked) -> Result<(), SessionError> {
        let Unasked {
            allocated,
            description,
            data,
            ..
        } = unasked;
        let region = allocated.hand_over();
        let mut outgoing = lock(&self.end.outgoing);
        outgoing.lent.insert(batch, region);
        let ring = self.end.out();
        let message = Down::Batch {
            batch,
            region,
            description,
            data,
        };
        let pushed = outgoing.push(&ring, &message.to_message());
        if pushed.is_ok() {
            outgoing.producer.publish(&ring);
        }
        pushed
    }

    /// Gives up a batch that was not asked.
    pub fn abandon(&self, unasked: Unasked) {
        let region = unasked.allocated.hand_over();
        lock(&self.end.outgoing).arena.free(region);
    }

    /// Says that a client has taken a request back, where the ring has room for more than batches.
    ///
    /// # Errors
    ///
    /// A [`SessionError`] when the worker is not told.
    pub fn cancel(&self, batch: u64, request: u32) -> Result<(), SessionError> {
        let mut outgoing = lock(&self.end.outgoing);
        let ring = self.end.out();
        let used = outgoing.producer.under_way(&ring)?;
        if used > ring.capacity() / 2 {
            return Err(WireError::Number.into());
        }
        outgoing.push(&ring, &Down::Cancel { batch, request }.to_message())?;
        outgoing.producer.publish(&ring);
        Ok(())
    }

    /// Wakes who waits for answers.
    pub fn nudge(&self) {
        self.end.incoming().nudge();
    }

    /// The way to the answers, for one thread at a time.
    pub fn receiver(&self) -> Receiver<'_> {
        Receiver::new(&self.end, lock(&self.incoming))
    }

    /// Ends the session.
    pub fn close(&self) {
        self.end.close();
    }
}

impl Unasked {
    /// Writes the description.
    ///
    /// # Errors
    ///
    /// [`SessionError::Memory`] when it is longer than said.
    pub fn describe(&mut self, description: &[u8]) -> Result<(), SessionError> {
        Ok(self.allocated.write(0, description)?)
    }

    /// Writes bytes of the tensors.
    ///
    /// # Errors
    ///
    /// [`SessionError::Memory`] when there are more than said.
    pub fn write(&mut self, offset: usize, bytes: &[u8]) -> Result<(), SessionError> {
        let offset = self.start.checked_add(offset).ok_or(WireError::Bounds)?;
        Ok(self.allocated.write(offset, bytes)?)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.end.close();
    }
}
