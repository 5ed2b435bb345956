use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

use super::stream::Stream;
use super::traffic::{Stage, Traffic};

/// How long to wait before a client that sends nothing more is looked after again: first, and at the most.
const LOOKS: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(1));

/// What a client of HTTP/1.1 that waits for its answer passes over, and what one that is gone is told of by its system.
const PROBE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// The bytes of a connection, of which those that go are counted.
///
/// A client that has closed its side may be gone, or wait for its answer: hyper hears of it when the answer has gone, or
/// when the client is found to be gone.
#[derive(Debug)]
pub(super) struct Wire {
    stream: Stream,
    traffic: Traffic,
    half_closed: Option<HalfClosed>,
    /// Whether something is to be written still.
    unwritten: bool,
    /// Who waits until it is.
    reader: Option<Waker>,
    /// Whether the client leaves no room for it.
    stuck: bool,
}

/// A client that sends nothing more.
#[derive(Debug)]
struct HalfClosed {
    look: Pin<Box<Sleep>>,
    pause: Duration,
    probed: bool,
    doubted: bool,
}

impl Wire {
    pub(super) fn new(stream: Stream, traffic: &Traffic) -> Self {
        Self {
            stream,
            traffic: traffic.clone(),
            half_closed: None,
            unwritten: false,
            reader: None,
            stuck: false,
        }
    }

    /// Ready when the end of what the client sends is the end of the connection.
    fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.traffic.stage().is_none() {
            if self.unwritten {
                self.reader = Some(context.waker().clone());
                return Poll::Pending;
            }
            self.half_closed = None;
            return Poll::Ready(Ok(()));
        }
        let client = self.half_closed.get_or_insert_with(HalfClosed::new);
        loop {
            ready!(client.look.as_mut().poll(context));
            if let Some(error) = self.stream.take_error()? {
                return Poll::Ready(Err(error));
            }
            match self.traffic.stage() {
                // What has not been read by now has not come.
                None | Some(Stage::Coming) => return Poll::Ready(Ok(())),
                // Nothing but what the answer itself has for it may come between its parts.
                Some(Stage::Answered) if !client.doubted => {
                    client.doubted = true;
                    self.traffic.doubt();
                }
                Some(Stage::Waiting) if !client.probed && !self.unwritten => {
                    client.probed = self.stream.try_send(context, PROBE)?;
                }
                Some(_) => client.look_later(),
            }
            client.look.as_mut().reset(Instant::now() + client.pause);
        }
    }

    fn wrote(&mut self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        self.unwritten = true;
        if let Poll::Ready(Ok(bytes)) = written {
            self.traffic.wrote(bytes);
        }
        self.stick(written.is_pending());
        written
    }

    fn stick(&mut self, stuck: bool) {
        if self.stuck != stuck {
            self.stuck = stuck;
            self.traffic.stick(stuck);
        }
    }
}

impl HalfClosed {
    fn new() -> Self {
        Self {
            look: Box::pin(sleep(LOOKS.0)),
            pause: LOOKS.0,
            probed: false,
            doubted: false,
        }
    }

    fn look_later(&mut self) {
        self.pause = (2 * self.pause).min(LOOKS.1);
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        if buffer.filled().len() > before || buffer.remaining() == 0 {
            return Poll::Ready(Ok(()));
        }
        self.poll_end(context)
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.wrote(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.wrote(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        // What is encrypted may be handed over, and have no room.
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.stick(flushed.is_pending());
        ready!(flushed)?;
        // hyper flushes when it has handed over everything.
        self.unwritten = false;
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
