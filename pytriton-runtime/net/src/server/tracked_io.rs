use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

use crate::server::connection_state::{ConnectionState, Http1Phase};
use crate::server::half_closed::HalfClosed;
use crate::server::head_budget::HeadBudget;
use crate::server::head_memory::{HEAD_REFUSAL, HeadMemory};
use crate::server::http2_preface::Preface;
use crate::server::stream::Stream;

/// How long a client may still send after this side has closed the connection.
pub(crate) const LINGER_TIMEOUT: Duration = Duration::from_millis(300);

/// An interim response, which HTTP/1.1 clients ignore. If the client is gone, its system responds
/// with a reset.
const PROBE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// The bytes that are written in a row. While the system copies them, all other connections of the
/// thread wait. A connection may have several such turns before others run: as many as
/// [`CoopPoll`](crate::server::coop_poll::CoopPoll) has rounds.
pub(crate) const MAX_WRITE_BYTES_PER_POLL: usize = 64 << 10;

/// The maximum number of slices in such a write, enough for a head and a body.
const MAX_SLICES: usize = 4;

/// The socket of a connection, which reports to the connection state.
///
/// A client that has closed its side may be gone or wait for its response. hyper is informed only
/// after the response is written, or when the client is found to be gone.
#[derive(Debug)]
pub(crate) struct TrackedIo {
    stream: Stream,
    preface: Preface,
    state: ConnectionState,
    heads: HeadMemory,
    half_closed: Option<HalfClosed>,
    /// Whether data remains to be written.
    unwritten: bool,
    /// Wakes the reader when everything is written.
    reader: Option<Waker>,
    /// Whether the socket buffer is full.
    stalled: bool,
    /// How many bytes have been written in the current turn.
    written_bytes: usize,
    /// The time during which the client may still send after the connection was closed.
    linger_timer: Option<Pin<Box<Sleep>>>,
}

impl TrackedIo {
    pub(crate) fn new(stream: Stream, state: &ConnectionState) -> Self {
        Self {
            stream,
            preface: Preface::default(),
            state: state.clone(),
            heads: HeadMemory::Unknown,
            half_closed: None,
            unwritten: false,
            reader: None,
            stalled: false,
            written_bytes: 0,
            linger_timer: None,
        }
    }

    /// Reserves the memory of heads that arrive. `http2` is the maximum size of a header list of an
    /// HTTP/2 connection.
    pub(crate) fn reserve_heads(&mut self, budget: &HeadBudget, http2: Option<u32>) {
        self.heads = HeadMemory::new(budget, http2);
    }

    /// Returns whether the client uses HTTP/2, according to its first bytes.
    pub(crate) async fn is_http2(&mut self) -> io::Result<bool> {
        loop {
            let stream = &mut self.stream;
            let mut buffer = ReadBuf::new(self.preface.missing());
            poll_fn(|context| Pin::new(&mut *stream).poll_read(context, &mut buffer)).await?;
            let bytes = buffer.filled().len();
            if let Some(http2) = self.preface.read(bytes) {
                return Ok(http2);
            }
        }
    }

    /// Ready when the end of the client's data ends the connection.
    fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.state.http1_phase().is_none() {
            if self.unwritten {
                self.reader = Some(context.waker().clone());
                return Poll::Pending;
            }
            self.half_closed = None;
            return Poll::Ready(Ok(()));
        }
        let client = self.half_closed.get_or_insert_with(HalfClosed::new);
        loop {
            ready!(client.next_poll.as_mut().poll(context));
            if let Some(error) = self.stream.take_error()? {
                return Poll::Ready(Err(error));
            }
            match self.state.http1_phase() {
                // Everything that had arrived has been read.
                None | Some(Http1Phase::Receiving) => return Poll::Ready(Ok(())),
                // In the middle of a response, only its own format can carry a probe.
                Some(Http1Phase::Responding) if !client.hangup_suspected => {
                    client.hangup_suspected = true;
                    self.state.suspect_hangup();
                }
                Some(Http1Phase::Waiting) if !client.probed && !self.unwritten => {
                    client.probed = self.stream.try_send(context, PROBE)?;
                }
                Some(_) => client.back_off(),
            }
            client
                .next_poll
                .as_mut()
                .reset(Instant::now() + client.interval);
        }
    }

    /// Ready when the client has closed its side too, or after [`LINGER_TIMEOUT`].
    ///
    /// If the client sends data after the socket is closed, the system responds with a reset. A
    /// proxy then drops responses that it has received and does not retry. Data that still arrives
    /// is therefore read and discarded.
    fn poll_linger(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let until = self
            .linger_timer
            .get_or_insert_with(|| Box::pin(sleep(LINGER_TIMEOUT)));
        if until.as_mut().poll(context).is_ready() {
            return Poll::Ready(Ok(()));
        }
        let mut discarded = [0; 1024];
        loop {
            let mut discarded = ReadBuf::new(&mut discarded);
            match ready!(Pin::new(&mut self.stream).poll_read(context, &mut discarded)) {
                Ok(()) if !discarded.filled().is_empty() => {}
                // An error no longer matters, because the responses have been sent.
                _ => return Poll::Ready(Ok(())),
            }
        }
    }

    /// Responds to an HTTP/1 request whose head has no memory. The connection then ends.
    #[cold]
    fn refuse_head(&mut self, context: &mut Context<'_>) {
        if matches!(self.heads, HeadMemory::Http1(_))
            && !self.unwritten
            && self.state.http1_phase().is_none()
        {
            // The response is lost if the client is still sending, or does not read.
            let _ = self.stream.try_send(context, HEAD_REFUSAL);
        }
    }

    /// Ready when this connection may write.
    #[inline]
    fn poll_may_write(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if self.written_bytes < MAX_WRITE_BYTES_PER_POLL {
            return Poll::Ready(());
        }
        self.written_bytes = 0;
        // The response may not have begun, but it remains to be written.
        self.unwritten = true;
        context.waker().wake_by_ref();
        Poll::Pending
    }

    #[inline]
    fn record_written(&mut self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        self.unwritten = true;
        match written {
            Poll::Ready(Ok(bytes)) => self.written_bytes += bytes,
            Poll::Ready(Err(_)) | Poll::Pending => self.written_bytes = 0,
        }
        self.set_stalled(written.is_pending());
        written
    }

    #[inline]
    fn set_stalled(&mut self, stalled: bool) {
        if self.stalled != stalled {
            self.stalled = stalled;
            self.state.set_stalled(stalled);
        }
    }
}

impl AsyncRead for TrackedIo {
    #[inline]
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        if !self.preface.take(buffer) {
            let Poll::Ready(read) = Pin::new(&mut self.stream).poll_read(context, buffer) else {
                let Self { state, heads, .. } = &mut *self;
                heads.pause(state);
                return Poll::Pending;
            };
            read?;
        }
        let bytes = &buffer.filled()[before..];
        if !bytes.is_empty() {
            let Self { state, heads, .. } = &mut *self;
            let added = heads.add(bytes, state);
            if added.is_err() {
                self.refuse_head(context);
            }
            return Poll::Ready(added);
        }
        if buffer.remaining() == 0 {
            return Poll::Ready(Ok(()));
        }
        self.poll_end(context)
    }
}

impl AsyncWrite for TrackedIo {
    #[inline]
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_may_write(context));
        let bytes = &bytes[..bytes.len().min(MAX_WRITE_BYTES_PER_POLL)];
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.record_written(written)
    }

    #[inline]
    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_may_write(context));
        let stream = Pin::new(&mut self.stream);
        let written = match beginning(slices) {
            Some(slices) => stream.poll_write_vectored(context, &slices),
            None => stream.poll_write_vectored(context, slices),
        };
        self.record_written(written)
    }

    #[inline]
    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    #[inline]
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        // TLS may accept data while the socket buffer is full.
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.set_stalled(flushed.is_pending());
        ready!(flushed)?;
        // hyper flushes when it has handed over everything.
        self.unwritten = false;
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.linger_timer.is_none() {
            ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
            self.state.close();
        }
        self.poll_linger(context)
    }
}

impl Drop for TrackedIo {
    fn drop(&mut self) {
        // The state lives as long as any handle to it.
        self.state.lock().trailers = None;
    }
}

/// Returns the first [`MAX_WRITE_BYTES_PER_POLL`] bytes of data that is longer.
fn beginning<'a>(slices: &'a [IoSlice<'_>]) -> Option<[IoSlice<'a>; MAX_SLICES]> {
    let length = |slice: &IoSlice<'_>| slice.len();
    if slices.iter().map(length).sum::<usize>() <= MAX_WRITE_BYTES_PER_POLL {
        return None;
    }
    let mut left = MAX_WRITE_BYTES_PER_POLL;
    let mut beginning = [IoSlice::new(&[]); MAX_SLICES];
    let some = slices.iter().filter(|slice| !slice.is_empty());
    for (first, slice) in beginning.iter_mut().zip(some) {
        let bytes = &slice[..slice.len().min(left)];
        left -= bytes.len();
        *first = IoSlice::new(bytes);
    }
    Some(beginning)
}
