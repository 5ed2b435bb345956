use std::io;
use std::os::fd::AsFd;
use std::time::Duration;

use crate::triton::process::tcp_info;

/// The kernel's counters of a TCP connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tcp {
    /// Bytes received.
    pub(super) received: u64,
    /// Bytes sent and acknowledged.
    pub(super) delivered: u64,
    /// Whether bytes are unsent or unacknowledged.
    pub(super) sending: bool,
    /// Bytes received and not yet read.
    pub(super) unread: u64,
    /// Whether the peer has closed the connection or its sending side.
    pub(super) closed: bool,
    /// The time since bytes were last received.
    pub(super) since_received: Duration,
    /// The time since bytes were last sent.
    pub(super) since_sent: Duration,
}

/// The kernel's numbers of the states after the peer's end: `TIME_WAIT`, `CLOSE`, `CLOSE_WAIT`,
/// `LAST_ACK` and `CLOSING`.
const CLOSED: [u8; 5] = [6, 7, 8, 9, 11];

impl Tcp {
    /// Reads the counters of a socket.
    ///
    /// # Errors
    ///
    /// Returns the system's error. Before Linux 4.6 some counters are missing, which is an error
    /// too.
    pub(super) fn of(socket: impl AsFd) -> io::Result<Self> {
        let info = tcp_info(socket.as_fd())?;
        let number = |offset: usize| Some(u32::from_ne_bytes(*info.get(offset..)?.first_chunk()?));
        let long = |offset: usize| Some(u64::from_ne_bytes(*info.get(offset..)?.first_chunk()?));
        let age = |offset| Some(Duration::from_millis(number(offset)?.into()));
        // The offsets of `struct tcp_info`.
        let read = || {
            Some(Self {
                received: long(128)?,
                delivered: long(120)?,
                sending: number(24)? > 0 || number(144)? > 0,
                unread: 0,
                closed: CLOSED.contains(info.first()?),
                since_received: age(52)?,
                since_sent: age(44)?,
            })
        };
        let account = read().ok_or(io::ErrorKind::Unsupported)?;
        Ok(Self {
            unread: rustix::io::ioctl_fionread(socket)?,
            ..account
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{Shutdown, TcpListener, TcpStream};
    use std::time::Instant;

    use super::*;

    #[test]
    fn transferred_bytes_are_counted() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut server, _) = listener.accept().unwrap();
        let fresh = Tcp::of(&server).unwrap();
        assert_eq!(
            (fresh.received, fresh.delivered, fresh.sending),
            (0, 0, false)
        );
        client.write_all(&[7; 10]).unwrap();
        server.read_exact(&mut [0; 4]).unwrap();
        server.write_all(&[7; 3]).unwrap();
        client.read_exact(&mut [0; 3]).unwrap();
        let used = Tcp::of(&server).unwrap();
        assert_eq!((used.received, used.unread), (10, 6));
        assert_eq!((used.delivered, used.sending), (3, false));
        // More than the client's window holds.
        server.set_nonblocking(true).unwrap();
        while server.write(&[7; 1 << 20]).is_ok() {}
        assert!(Tcp::of(&server).unwrap().sending);
        assert!(!Tcp::of(&server).unwrap().closed);
    }

    #[test]
    fn closed_peer_is_detected() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        for (half, read) in [(true, true), (false, true), (false, false)] {
            let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let (mut server, _) = listener.accept().unwrap();
            server.write_all(&[7; 3]).unwrap();
            if read {
                client.read_exact(&mut [0; 3]).unwrap();
            }
            match half {
                true => client.shutdown(Shutdown::Write).unwrap(),
                // With unread bytes this is a reset.
                false => drop(client),
            }
            let begun = Instant::now();
            while !Tcp::of(&server).unwrap().closed {
                assert!(begun.elapsed() < Duration::from_secs(5), "{half} {read}");
            }
            assert_eq!(Tcp::of(&server).unwrap().unread, 0);
        }
    }
}
