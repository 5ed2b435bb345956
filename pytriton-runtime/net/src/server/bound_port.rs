use std::io;
use std::net::SocketAddr;

use tokio::net::{TcpListener, TcpSocket};

/// The length of the listen queue.
const BACKLOG: u32 = 1024;

/// A port that is bound but does not listen yet. Clients cannot connect to it, and no other process
/// can take it.
#[derive(Debug)]
pub struct BoundPort(TcpSocket);

impl BoundPort {
    /// Binds a port. Port 0 is a free one.
    ///
    /// # Errors
    ///
    /// Returns the error of the system, such as an address in use.
    pub fn bind(address: SocketAddr) -> io::Result<Self> {
        let socket = match address {
            SocketAddr::V4(_) => TcpSocket::new_v4(),
            SocketAddr::V6(_) => TcpSocket::new_v6(),
        }?;
        // Lets a restarted server bind its port although connections of the last one are in
        // TIME_WAIT. With port 0, the system could give two such sockets the same port, and only
        // one of them could listen.
        socket.set_reuseaddr(address.port() != 0)?;
        socket.bind(address)?;
        Ok(Self(socket))
    }

    /// Starts to listen.
    ///
    /// # Errors
    ///
    /// Returns the error of the system.
    pub fn listen(self) -> io::Result<TcpListener> {
        self.0.listen(BACKLOG)
    }
}
