use std::mem;
use std::task::{Context, Poll};

use tokio::time::Instant;

use super::connection_state::{ConnectionState, Inner};
use super::stream_state::Stream;

/// One stream of a connection, to which its request and its response report.
#[derive(Debug, Clone)]
pub(super) struct StreamHandle {
    connection: ConnectionState,
    slot: usize,
    number: u64,
}

/// A stream whose response has not been handed over completely. The response ends when it is
/// dropped.
#[derive(Debug)]
pub(super) struct OpenStream {
    handle: StreamHandle,
    open: bool,
}

impl StreamHandle {
    pub(super) fn new(connection: ConnectionState, slot: usize, number: u64) -> Self {
        Self {
            connection,
            slot,
            number,
        }
    }

    /// The request has arrived completely.
    pub(super) fn receive(&self) {
        if let Some(stream) = self.stream(&mut self.connection.lock()) {
            stream.receive();
        }
    }

    /// The connection has written, or dropped, bytes of the response.
    pub(super) fn sent(&self, bytes: usize) {
        let waker = {
            let mut inner = self.connection.lock();
            let Some(stream) = self.stream(&mut inner) else {
                return;
            };
            let now = Instant::now();
            stream.sent(bytes, now);
            let waker = stream.take_waker();
            if stream.is_finished() {
                inner.remove(self.slot, now);
            }
            waker
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// The stream, unless it is over: another one may use its slot then.
    fn stream<'inner>(&self, inner: &'inner mut Inner) -> Option<&'inner mut Stream> {
        let stream = inner.streams.get_mut(self.slot)?;
        (stream.number == self.number).then_some(stream)
    }
}

impl OpenStream {
    pub(super) fn new(handle: StreamHandle) -> Self {
        Self { handle, open: true }
    }

    /// The handle for what reports of this stream.
    pub(super) fn handle(&self) -> &StreamHandle {
        &self.handle
    }

    /// The head of the response is ready. Returns whether it has to announce the end of the
    /// connection.
    pub(super) fn respond(&self) -> bool {
        let mut inner = self.handle.connection.lock();
        if let Some(stream) = self.handle.stream(&mut inner) {
            stream.respond(Instant::now);
        }
        inner.is_last_http1()
    }

    /// The next part of the response is being computed.
    pub(super) fn compute(&self) {
        if let Some(stream) = self.handle.stream(&mut self.handle.connection.lock()) {
            stream.compute();
        }
    }

    /// Whether the client may be gone. Returns `true` once: the caller sends something, and the
    /// system reports a client that is gone.
    pub(super) fn take_doubt(&self) -> bool {
        mem::take(&mut self.handle.connection.lock().doubted)
    }

    /// Bytes of the response are handed to the connection. The response ends with them if they
    /// are the last and at most `max_unsent` bytes are unsent then. Returns whether it does.
    pub(super) fn hand_over(&mut self, bytes: usize, last: bool, max_unsent: usize) -> bool {
        let mut inner = self.handle.connection.lock();
        let Some(stream) = self.handle.stream(&mut inner) else {
            // It is being reset.
            return last;
        };
        stream.hand_over(bytes, Instant::now);
        if !last || stream.unsent() > max_unsent {
            return false;
        }
        self.open = false;
        stream.end();
        if stream.is_finished() {
            inner.remove(self.handle.slot, Instant::now());
        }
        true
    }

    /// Ready when at most `max_unsent` bytes of the response are unsent.
    pub(super) fn poll_sent(&self, max_unsent: usize, context: &Context<'_>) -> Poll<()> {
        if max_unsent == usize::MAX {
            return Poll::Ready(());
        }
        match self.handle.stream(&mut self.handle.connection.lock()) {
            Some(stream) if stream.unsent() > max_unsent => {
                stream.wake_at(max_unsent, context.waker().clone());
                Poll::Pending
            }
            _ => Poll::Ready(()),
        }
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        if !self.open {
            return;
        }
        let mut inner = self.handle.connection.lock();
        if let Some(stream) = self.handle.stream(&mut inner) {
            stream.end();
            if stream.is_finished() {
                inner.remove(self.handle.slot, Instant::now());
            }
        }
    }
}
