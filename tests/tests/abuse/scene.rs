use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::net::sockopt::set_socket_linger;

use crate::random::Random;

/// The pause between two bytes of a slow client.
const DRIP: Duration = Duration::from_millis(50);

/// The timeout of an abuser.
const IO_TIMEOUT: Duration = Duration::from_secs(5);

/// The time limit for writing data that is not read.
const WRITE: Duration = Duration::from_millis(500);

/// One wait of this many exceeds the time limits of the server.
const ONE_OF: usize = 12;
const LONG_PAUSE: Duration = Duration::from_secs(25);
const SHORT_PAUSE: Duration = Duration::from_secs(3);

/// The state of an abuser: its targets and its random numbers.
pub(crate) struct Scene {
    pub http: SocketAddr,
    pub grpc: SocketAddr,
    pub metrics: SocketAddr,
    pub random: Random,
    pub stop: Arc<AtomicBool>,
}

impl Scene {
    /// Opens a connection that is reset when it is dropped.
    pub(crate) fn open(&self, address: SocketAddr) -> io::Result<TcpStream> {
        let stream = TcpStream::connect_timeout(&address, IO_TIMEOUT)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(IO_TIMEOUT))?;
        stream.set_write_timeout(Some(WRITE))?;
        set_socket_linger(&stream, Some(Duration::ZERO))?;
        Ok(stream)
    }

    /// Opens at least one connection; all of them start with the same bytes.
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

    /// Returns a random duration, usually short.
    pub(crate) fn while_long(&mut self) -> Duration {
        let most = if self.random.below(ONE_OF) == 0 {
            LONG_PAUSE
        } else {
            SHORT_PAUSE
        };
        self.random.moment(most)
    }

    /// Waits, at most until the abuse ends.
    pub(crate) fn rest(&mut self) {
        let end = Instant::now() + self.while_long();
        while Instant::now() < end && !self.is_over() {
            thread::sleep(DRIP);
        }
    }

    /// Sends a byte at a time on each of the connections, slowly, while at least one is open.
    pub(crate) fn drip(&mut self, streams: Vec<TcpStream>, drop: &[u8]) {
        self.slowly(streams, |stream| stream.write_all(drop).is_ok());
    }

    /// Repeats an operation on each of the connections while it succeeds on at least one.
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

    /// Returns whether the abuse should end.
    pub(crate) fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Writes until the other side accepts no more, which is not an error.
pub(crate) fn write_what_is_taken(stream: &mut TcpStream, bytes: &[u8]) -> io::Result<()> {
    match stream.write_all(bytes) {
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => Ok(()),
        written => written,
    }
}

/// Reads until the other side closes the connection.
pub(crate) fn read_to_end(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Data before an error is kept.
    let _ = stream.read_to_end(&mut bytes);
    bytes
}
