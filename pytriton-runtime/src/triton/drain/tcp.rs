use std::io;
use std::os::fd::AsFd;
use std::time::Duration;

use crate::triton::process::tcp_info;

/// The kernel's account of a TCP connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tcp {
    /// Bytes that have come.
    pub(super) received: u64,
    /// Bytes that have gone and have arrived.
    pub(super) delivered: u64,
    /// Whether bytes have gone or will go that have not yet arrived.
    pub(super) sending: bool,
    /// Bytes that have come and are not yet read.
    pub(super) unread: u64,
    /// How long ago bytes last came.
    pub(super) since_received: Duration,
    /// How long ago bytes last went.
    pub(super) since_sent: Duration,
}

impl Tcp {
    /// The account of a socket.
    ///
    /// # Errors
    ///
    /// What the system says; of a system before Linux 4.6 that it does not know all of it.
    pub(super) fn of(socket: impl AsFd) -> io::Result<Self> {
        let info = tcp_info(socket.as_fd())?;
        let number = |offset: usize| Some(u32::from_ne_bytes(*info.get(offset..)?.first_chunk()?));
        let long = |offset: usize| Some(u64::from_ne_bytes(*info.get(offset..)?.first_chunk()?));
        let age = |offset| Some(Duration::from_millis(number(offset)?.into()));
        // The offsets are those of `struct tcp_info`.
        let read = || {
            Some(Self {
                received: long(128)?,
                delivered: long(120)?,
                sending: number(24)? > 0 || number(144)? > 0,
                unread: 0,
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
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn counts_what_comes_and_goes() {
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
        // More than the client's window takes.
        server.set_nonblocking(true).unwrap();
        while server.write(&[7; 1 << 20]).is_ok() {}
        assert!(Tcp::of(&server).unwrap().sending);
    }
}
