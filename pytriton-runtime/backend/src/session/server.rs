use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use crate::shm::{Control, Registration, State, Watch, Watched, send};
use crate::sync::Mutex;

use super::buffer_pool::BufferPool;
use super::end::{End, Side, lock};
use super::received_batch::Incoming;
use super::region_returns::RegionReturns;
use super::{EncodedResponses, SessionError, Welcome};

/// The worker's side of a session.
#[derive(Debug)]
pub struct Server {
    // Dropped before the end that it watches.
    pub(super) registration: Registration,
    pub(super) returns: Arc<RegionReturns>,
    pub(super) incoming: Mutex<Incoming>,
    /// Cancelled requests of batches that are not finished.
    pub(super) cancelled: Mutex<Vec<(u64, u32)>>,
    pub(super) buffers: Mutex<BufferPool>,
}

impl Server {
    /// Accepts a session whose handshake message has been read. `on_close` is called once, when the
    /// session has ended.
    ///
    /// # Errors
    ///
    /// Returns a [`SessionError`] if there is no memory or the socket fails.
    pub fn open(
        mut socket: UnixStream,
        welcome: &Welcome,
        on_close: impl Fn() + Send + Sync + 'static,
    ) -> Result<Self, SessionError> {
        let watch = Watch::current()?;
        let control = Control::new(welcome.slots)?;
        welcome.send(&mut socket)?;
        send(&socket, &[control.as_fd()])?;
        let end = Arc::new(End::new(Side::Server, control, socket, Box::new(on_close)));
        let watched: Arc<dyn Watched> = Arc::<End>::clone(&end);
        let registration = watch.register(end.socket.as_fd(), watched)?;
        Ok(Self {
            registration,
            returns: Arc::new(RegionReturns::new(end)),
            incoming: Mutex::default(),
            cancelled: Mutex::default(),
            buffers: Mutex::default(),
        })
    }

    /// Keeps the memory of a description for the next one.
    pub fn keep_description(&self, description: Vec<u8>) {
        lock(&self.buffers).keep_description(description);
    }

    /// Returns an empty set of responses that reuses memory.
    pub fn responses(&self) -> EncodedResponses {
        lock(&self.buffers).responses()
    }

    /// Keeps the memory of responses for the next ones.
    pub fn keep_responses(&self, responses: EncodedResponses) {
        lock(&self.buffers).keep_responses(responses);
    }

    /// Reports whether the instances behind the session can serve.
    pub fn set_state(&self, state: State) {
        self.returns.end.control.set_state(state);
    }

    /// Reports the instances behind the session as not ready from now on. They still execute
    /// batches.
    pub fn set_stopping(&self) {
        self.returns.end.control.set_stopping();
    }

    /// Returns whether one of the sides has closed the session.
    pub fn is_closed(&self) -> bool {
        self.returns.end.is_closed()
    }

    /// Accepts no batches beyond those that are already queued.
    pub fn end(&self) {
        self.returns.end.end();
    }

    /// Ends the session immediately.
    pub fn close(&self) {
        self.returns.end.close();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.returns.end.close();
    }
}
