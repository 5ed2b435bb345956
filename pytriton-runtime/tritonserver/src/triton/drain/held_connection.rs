use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::triton::process::reachable;

/// The timeout for tritonserver to accept a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// The timeout for a refusal. After it, another connection is tried: this one may have been
/// accepted before the port closed.
const REFUSAL_TIMEOUT: Duration = Duration::from_millis(20);

/// A connection that keeps a stopping tritonserver in the first phase of its shutdown.
///
/// In this phase it accepts no new HTTP connections but serves the existing ones. The phase ends
/// when the last HTTP connection is closed.
#[derive(Debug)]
pub(in crate::triton) struct HeldConnection {
    stream: TcpStream,
    server: SocketAddr,
}

impl HeldConnection {
    /// Connects and waits for a response, so that the server is known to count the connection.
    ///
    /// # Errors
    ///
    /// Returns the system's error if tritonserver does not respond.
    pub(in crate::triton) async fn new(http: SocketAddr) -> io::Result<Self> {
        let server = reachable(http);
        let connected = async {
            let mut stream = TcpStream::connect(server).await?;
            let request = format!("GET /v2/health/live HTTP/1.1\r\nHost: {server}\r\n\r\n");
            stream.write_all(request.as_bytes()).await?;
            // Any status will do.
            stream.read_u8().await?;
            Ok(Self { stream, server })
        };
        timeout(CONNECT_TIMEOUT, connected).await?
    }

    /// Returns the local address of the connection.
    pub(in crate::triton) fn address(&self) -> Option<SocketAddr> {
        self.stream.local_addr().ok()
    }

    /// Waits until tritonserver accepts no more connections.
    pub(in crate::triton) async fn wait_until_refused(&self) {
        while let Ok(mut stream) = TcpStream::connect(self.server).await {
            // An accepted connection stays open; a refused one is closed at once.
            let closed = timeout(REFUSAL_TIMEOUT, stream.read_u8()).await;
            if closed.is_ok_and(|read| read.is_err()) {
                return;
            }
        }
    }
}
