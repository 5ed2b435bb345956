use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::arena::align;
use crate::protocol::{ProtocolError, ToWorker};
use crate::shm::{Allocated, Control, Registration, State, Watch, Watched, connect, receive};
use crate::sync::Mutex;

use super::end::{End, Side, lock};
use super::receiver::{Incoming, Receiver};
use super::{Hello, SessionError, Welcome};

/// tritonserver's side of a session.
#[derive(Debug)]
pub struct Client {
    // Dropped before the end that it watches.
    registration: Registration,
    pub(super) end: Arc<End>,
    incoming: Mutex<Incoming>,
}

/// A batch that is being written.
#[derive(Debug)]
pub struct AllocatedBatch {
    allocated: Allocated,
    description: usize,
    start: usize,
    data: usize,
}

/// The timeout for the worker's part of the handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

impl Client {
    /// Connects to the worker's socket. `on_close` is called once, when the session has ended.
    ///
    /// # Errors
    ///
    /// Returns a [`SessionError`] if the connection or the session is refused.
    pub fn connect(
        path: &Path,
        hello: &Hello,
        on_close: impl Fn() + Send + Sync + 'static,
    ) -> Result<(Self, Welcome), SessionError> {
        Self::handshake(Self::connect_socket(path)?, hello, on_close)
    }

    /// Opens a stream to the worker, without a handshake.
    ///
    /// # Errors
    ///
    /// Returns [`SessionError::Io`] if the connection is refused.
    pub fn connect_socket(path: &Path) -> Result<UnixStream, SessionError> {
        Ok(connect(path)?)
    }

    /// Opens a session on a stream: the second part of [`connect`](Self::connect). Waits while the
    /// worker creates instances, unless the socket is shut down.
    ///
    /// # Errors
    ///
    /// Returns a [`SessionError`] if the session is refused or the stream ends.
    pub fn handshake(
        mut socket: UnixStream,
        hello: &Hello,
        on_close: impl Fn() + Send + Sync + 'static,
    ) -> Result<(Self, Welcome), SessionError> {
        let watch = Watch::current()?;
        socket.set_read_timeout(Some(HANDSHAKE_TIMEOUT))?;
        socket.set_write_timeout(Some(HANDSHAKE_TIMEOUT))?;
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

    /// Returns whether the session has ended.
    pub fn is_closed(&self) -> bool {
        self.end.is_closed()
    }

    /// Returns whether readiness checks should pass. While the server stops they do not, although
    /// batches can still be sent.
    pub fn is_ready(&self) -> bool {
        !self.end.is_closed() && self.end.control.is_ready()
    }

    /// Allocates memory for a batch of the given sizes.
    ///
    /// # Errors
    ///
    /// Returns a [`SessionError`] if there is no memory, or if the session cannot serve.
    pub fn prepare(&self, description: usize, data: usize) -> Result<AllocatedBatch, SessionError> {
        if self.end.is_closed() {
            return Err(SessionError::Closed);
        }
        if self.end.control.state() == State::Unavailable {
            return Err(SessionError::Unavailable);
        }
        let start = align(description).ok_or(ProtocolError::Bounds)?;
        let len = start.checked_add(data).ok_or(ProtocolError::Bounds)?;
        let mut outgoing = lock(&self.end.outgoing);
        let announce = |number| ToWorker::Segment(number).to_message();
        let allocated = self.end.allocate(&mut outgoing, len, announce)?;
        if End::is_large(&outgoing) {
            self.registration.arm(End::IDLE);
        }
        Ok(AllocatedBatch {
            allocated,
            description,
            start,
            data,
        })
    }

    /// Hands a batch over under a number that is unique in the session.
    ///
    /// # Errors
    ///
    /// Returns a [`SessionError`] if it is not handed over.
    pub fn send_batch(&self, number: u64, batch: AllocatedBatch) -> Result<(), SessionError> {
        let AllocatedBatch {
            allocated,
            description,
            data,
            ..
        } = batch;
        let region = allocated.hand_over();
        let mut outgoing = lock(&self.end.outgoing);
        outgoing.unreturned.insert(number, region);
        let ring = self.end.out();
        let message = ToWorker::Batch {
            batch: number,
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

    /// Frees a batch that was not handed over.
    pub fn abandon(&self, batch: AllocatedBatch) {
        let region = batch.allocated.hand_over();
        lock(&self.end.outgoing).arena.free(region);
    }

    /// Sends the cancellation of a request, if the ring has space beyond that for batches.
    ///
    /// # Errors
    ///
    /// Returns a [`SessionError`] if it was not sent.
    pub fn cancel(&self, batch: u64, request: u32) -> Result<(), SessionError> {
        let mut outgoing = lock(&self.end.outgoing);
        let ring = self.end.out();
        let used = outgoing.producer.in_flight(&ring)?;
        if used > ring.capacity() / 2 {
            return Err(ProtocolError::Number.into());
        }
        outgoing.push(&ring, &ToWorker::Cancel { batch, request }.to_message())?;
        outgoing.producer.publish(&ring);
        Ok(())
    }

    /// Wakes the thread that waits for responses.
    pub fn interrupt(&self) {
        self.end.incoming().interrupt();
    }

    /// Returns the receiver of responses, for one thread at a time.
    pub fn receiver(&self) -> Receiver<'_> {
        Receiver::new(&self.end, lock(&self.incoming))
    }

    /// Ends the session.
    pub fn close(&self) {
        self.end.close();
    }
}

impl AllocatedBatch {
    /// Writes the description.
    ///
    /// # Errors
    ///
    /// Returns [`SessionError::Memory`] if it exceeds the announced size.
    pub fn describe(&mut self, description: &[u8]) -> Result<(), SessionError> {
        Ok(self.allocated.write(0, description)?)
    }

    /// Writes bytes of the tensors.
    ///
    /// # Errors
    ///
    /// Returns [`SessionError::Memory`] if they exceed the announced size.
    pub fn write(&mut self, offset: usize, bytes: &[u8]) -> Result<(), SessionError> {
        let offset = self
            .start
            .checked_add(offset)
            .ok_or(ProtocolError::Bounds)?;
        Ok(self.allocated.write(offset, bytes)?)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.end.close();
    }
}
