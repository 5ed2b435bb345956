use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::net::sockopt::set_socket_linger;

use crate::random::Random;

/// Between two bytes of a client that is slow.
const DRIP: Duration = Duration::from_millis(50);

/// How long a client that means no good waits for anything.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long it tries to write what nobody reads.
const WRITE: Duration = Duration::from_millis(500);

/// One of this many waits is so long that the server's limits of time end it.
const ONE_OF: usize = 12;
const LONG: Duration = Duration::from_secs(25);
const SHORT: Duration = Duration::from_secs(3);

/// What one abuser has: whom it abuses, and by what chance.
pub(crate) struct Scene {
    pub http: SocketAddr,
    pub grpc: SocketAddr,
    pub metrics: SocketAddr,
    pub random: Random,
    pub stop: Arc<AtomicBool>,
}

impl Scene {
    /// A connection that is reset when it is dropped.
    pub(crate) fn open(&self, address: SocketAddr) -> io::Result<TcpStream> {
        let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(WRITE))?;
        set_socket_linger(&stream, Some(Duration::ZERO))?;
        Ok(stream)
    }

    /// Some connections, at least one, all of which begin alike.
    pub(crate) fn open_some(
        &mut self,
        most: usize,
        address: SocketAddr,
        beginning: &[u8],
    ) -> io::Result<Vec<TcpStream>> {
        let count = 1 + self.random.below(most);
        let mut streams = Vec::with_capacity(count);
        for _ in 0..count {
            let mut stream = self.open(address)?;
            write_what_is_taken(&mut stream, beginning)?;
            streams.push(stream);
        }
        Ok(streams)
    }

    /// Some time, mostly short.
    pub(crate) fn while_long(&mut self) -> Duration {
        let most = if self.random.below(ONE_OF) == 0 {
            LONG
        } else {
            SHORT
        };
        self.random.moment(most)
    }

    /// Waits, but not longer than the abuse lasts.
    pub(crate) fn rest(&mut self) {
        let end = Instant::now() + self.while_long();
        while Instant::now() < end && !self.is_over() {
            thread::sleep(DRIP);
        }
    }

    /// Sends byte after byte on each of some connections, slowly, as long as there is one that lasts.
    pub(crate) fn drip(&mut self, streams: Vec<TcpStream>, drop: &[u8]) {
        self.slowly(streams, |stream| stream.write_all(drop).is_ok());
    }

    /// Does something on each of some connections, again and again, as long as there is one on which it can be done.
    pub(crate) fn slowly(
        &mut self,
        mut streams: Vec<TcpStream>,
        mut each: impl FnMut(&mut TcpStream) -> bool,
    ) {
        let end = Instant::now() + self.while_long();
        while Instant::now() < end && !self.is_over() && !streams.is_empty() {
            streams.retain_mut(&mut each);
            thread::sleep(DRIP);
        }
    }

    /// Whether the abuse shall end.
    pub(crate) fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Writes until nothing more is taken, which is no error.
pub(crate) fn write_what_is_taken(stream: &mut TcpStream, bytes: &[u8]) -> io::Result<()> {
    match stream.write_all(bytes) {
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => Ok(()),
        written => written,
    }
}

/// Reads until the other side has nothing more to say.
pub(crate) fn read_to_end(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    // What came before an error is there.
    let _ = stream.read_to_end(&mut bytes);
    bytes
}
