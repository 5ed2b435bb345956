use std::mem;
use std::task::{Context, Poll};

use http::Version;
use tokio::time::Instant;

use crate::server::connection_state::{ConnectionState, Inner};
use crate::server::stream_state::Stream;

/// A stream of a connection. The request and the response report to it.
#[derive(Debug, Clone)]
pub(crate) struct StreamHandle {
    connection: ConnectionState,
    slot: usize,
    number: u64,
}

/// A stream whose response has not been handed over completely. Dropping it ends the response.
#[derive(Debug)]
pub(crate) struct OpenStream {
    handle: StreamHandle,
    open: bool,
}

impl ConnectionState {
    /// Records that the head of a request has arrived.
    #[inline]
    pub(crate) fn open(&self, version: Version) -> OpenStream {
        let (slot, number) = self.insert(version);
        let connection = self.clone();
        OpenStream::new(StreamHandle {
            connection,
            slot,
            number,
        })
    }
}

impl StreamHandle {
    /// Records that the request has arrived completely.
    #[inline]
    pub(crate) fn receive(&self) {
        if let Some(stream) = self.stream(&mut self.connection.lock()) {
            stream.receive();
        }
    }

    /// Records that the connection has written or dropped bytes of the response.
    pub(crate) fn sent(&self, bytes: usize) {
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

    /// Returns the stream, or `None` if it has ended. Another stream may use its slot then.
    #[inline]
    fn stream<'inner>(&self, inner: &'inner mut Inner) -> Option<&'inner mut Stream> {
        let stream = inner.streams.get_mut(self.slot)?;
        (stream.number == self.number).then_some(stream)
    }
}

impl OpenStream {
    #[inline]
    pub(crate) fn new(handle: StreamHandle) -> Self {
        Self { handle, open: true }
    }

    /// Returns the handle for reports about this stream.
    #[inline]
    pub(crate) fn handle(&self) -> &StreamHandle {
        &self.handle
    }

    /// Records that the head of the response is ready. Returns whether the head must announce the
    /// end of the connection.
    #[inline]
    pub(crate) fn respond(&self) -> bool {
        let mut inner = self.handle.connection.lock();
        if let Some(stream) = self.handle.stream(&mut inner) {
            stream.respond(Instant::now);
        }
        inner.is_last_http1()
    }

    /// Records that the next part of the response is being computed.
    #[inline]
    pub(crate) fn compute(&self) {
        if let Some(stream) = self.handle.stream(&mut self.handle.connection.lock()) {
            stream.compute();
        }
    }

    /// Returns whether the client may have disconnected. Returns `true` only once: the caller then
    /// sends something, and the system reports whether the client is gone.
    #[inline]
    pub(crate) fn take_hangup_suspicion(&self) -> bool {
        mem::take(&mut self.handle.connection.lock().hangup_suspected)
    }

    /// Records that bytes are handed to the connection. If they are the last ones and at most
    /// `max_unsent` bytes are unsent, the response ends. Returns whether it ended.
    pub(crate) fn hand_over(&mut self, bytes: usize, last: bool, max_unsent: usize) -> bool {
        let mut inner = self.handle.connection.lock();
        let Some(stream) = self.handle.stream(&mut inner) else {
            // The stream is being reset.
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
    #[inline]
    pub(crate) fn poll_sent(&self, max_unsent: usize, context: &Context<'_>) -> Poll<()> {
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
