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

/// How long a client may still send when the connection has been closed on this side.
const LINGER: Duration = Duration::from_millis(300);

/// What a client of HTTP/1.1 that waits for its answer passes over, and what one that is gone is told of by its system.
const PROBE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// So many bytes are written in a row: while the system copies them, all other connections of the thread wait. A connection
/// has as many such turns before them as [`Attentive`](super::attentive::Attentive) has rounds.
const TURN: usize = 64 << 10;

/// So many slices of what is longer are written at once, as a head and its body are.
const SLICES: usize = 4;

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
    /// How many bytes have been written since others had their turn.
    turn: usize,
    /// Until when a client may still send that is told that the connection is closed.
    lingers: Option<Pin<Box<Sleep>>>,
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
            turn: 0,
            lingers: None,
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

    /// Ready when the client has closed its side too, or had its time for it.
    ///
    /// What it sends to a connection that is no more the system answers with a reset, upon which a proxy drops answers that it
    /// has and asks nobody else. So what still comes is read and forgotten.
    fn poll_last_words(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let until = self.lingers.get_or_insert_with(|| Box::pin(sleep(LINGER)));
        if until.as_mut().poll(context).is_ready() {
            return Poll::Ready(Ok(()));
        }
        let mut words = [0; 1024];
        loop {
            let mut words = ReadBuf::new(&mut words);
            match ready!(Pin::new(&mut self.stream).poll_read(context, &mut words)) {
                Ok(()) if !words.filled().is_empty() => {}
                // The answers have been given whatever the client makes of it.
                _ => return Poll::Ready(Ok(())),
            }
        }
    }

    /// Ready when it is this connection's turn to write.
    fn poll_turn(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if self.turn < TURN {
            return Poll::Ready(());
        }
        self.turn = 0;
        // An answer that has not begun is to be written as well.
        self.unwritten = true;
        context.waker().wake_by_ref();
        Poll::Pending
    }

    fn wrote(&mut self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        self.unwritten = true;
        match written {
            Poll::Ready(Ok(bytes)) => {
                self.turn += bytes;
                self.traffic.wrote(bytes);
            }
            Poll::Ready(Err(_)) | Poll::Pending => self.turn = 0,
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
        ready!(self.poll_turn(context));
        let bytes = &bytes[..bytes.len().min(TURN)];
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.wrote(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_turn(context));
        let stream = Pin::new(&mut self.stream);
        let written = match beginning(slices) {
            Some(slices) => stream.poll_write_vectored(context, &slices),
            None => stream.poll_write_vectored(context, slices),
        };
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
        if self.lingers.is_none() {
            ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
            self.traffic.close();
        }
        self.poll_last_words(context)
    }
}

/// As much as is written in a row of what is longer than that.
fn beginning<'a>(slices: &'a [IoSlice<'_>]) -> Option<[IoSlice<'a>; SLICES]> {
    let length = |slice: &IoSlice<'_>| slice.len();
    if slices.iter().map(length).sum::<usize>() <= TURN {
        return None;
    }
    let mut room = TURN;
    let mut beginning = [IoSlice::new(&[]); SLICES];
    let some = slices.iter().filter(|slice| !slice.is_empty());
    for (first, slice) in beginning.iter_mut().zip(some) {
        let bytes = &slice[..slice.len().min(room)];
        room -= bytes.len();
        *first = IoSlice::new(bytes);
    }
    Some(beginning)
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};

    use super::*;

    /// Two ends of a connection.
    async fn connected() -> (Wire, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (client, server) = tokio::join!(TcpStream::connect(address), listener.accept());
        let stream = Stream::Plain(server.unwrap().0);
        (Wire::new(stream, &Traffic::new()), client.unwrap())
    }

    /// The lengths of what is written in a row before others have their turn, until everything has gone.
    async fn turns(wire: &mut Wire, slices: &[&[u8]]) -> Vec<usize> {
        let mut gone = 0;
        let mut turns = vec![0];
        let whole = slices.concat().len();
        while gone < whole {
            let written = poll_fn(|context| {
                let mut skipped = gone;
                let rest: Vec<IoSlice<'_>> = slices
                    .iter()
                    .map(|slice| {
                        let from = skipped.min(slice.len());
                        skipped -= from;
                        IoSlice::new(&slice[from..])
                    })
                    .collect();
                let wire = Pin::new(&mut *wire);
                let written = match rest[..] {
                    [ref only] => wire.poll_write(context, only),
                    _ => wire.poll_write_vectored(context, &rest),
                };
                if written.is_pending() {
                    turns.push(0);
                }
                written
            });
            let written = written.await.unwrap();
            assert!((1..=TURN).contains(&written));
            gone += written;
            *turns.last_mut().unwrap() += written;
        }
        turns
    }

    /// Closes a connection of which this has not been read, and says what its client finds that sends more then.
    async fn closed(unread: &[u8]) -> io::Result<usize> {
        let (mut wire, mut client) = connected().await;
        client.write_all(unread).await?;
        wire.write_all(b"answer").await?;
        let closed = tokio::spawn(async move { wire.shutdown().await });
        let mut answer = [0; 6];
        client.read_exact(&mut answer).await?;
        // Nobody reads it.
        client.write_all(b"more").await?;
        tokio::task::yield_now().await;
        let end = client.read(&mut answer).await?;
        client.shutdown().await?;
        closed.await??;
        Ok(end)
    }

    #[tokio::test]
    async fn a_client_that_goes_on_sending_hears_of_an_end_and_not_of_a_reset() {
        for unread in [&b""[..], b"a request that came too late"] {
            assert_eq!(closed(unread).await.unwrap(), 0);
        }
    }

    #[tokio::test]
    async fn one_that_never_stops_is_let_go() {
        let (mut wire, client) = connected().await;
        let begun = Instant::now();
        wire.shutdown().await.unwrap();
        assert!((LINGER..10 * LINGER).contains(&begun.elapsed()));
        drop(client);
    }

    #[tokio::test]
    async fn what_is_long_takes_turns_and_comes_as_it_was() {
        let long: Vec<u8> = (0..TURN * 20)
            .map(|index| u8::try_from(index % 251).unwrap())
            .collect();
        let lists: [&[&[u8]]; 4] = [
            &[&long],
            &[b"head", &long],
            &[b"a", b"", b"b", b"c", b"d", b"e", &long[..TURN * 3], b"end"],
            &[&long[..TURN], &long[..TURN], b"end"],
        ];
        for slices in lists {
            let (mut wire, mut client) = connected().await;
            let whole = slices.concat();
            let read = tokio::spawn(async move {
                let mut read = Vec::new();
                client.read_to_end(&mut read).await.unwrap();
                read
            });
            let turns = turns(&mut wire, slices).await;
            drop(wire);
            assert_eq!(read.await.unwrap(), whole);
            // The last write of a turn begins within it.
            assert!(turns.iter().all(|turn| *turn < 2 * TURN), "{turns:?}");
            assert!(turns.len() >= whole.len() / (2 * TURN), "{turns:?}");
        }
    }
}
