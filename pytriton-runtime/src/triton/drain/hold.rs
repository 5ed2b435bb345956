use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::triton::process::reachable;

/// How long tritonserver may take to accept a connection.
const PATIENCE: Duration = Duration::from_secs(1);

/// How long it may take to refuse one, before another is tried: it may have accepted the one before.
const REFUSAL: Duration = Duration::from_millis(20);

/// A connection that keeps a stopping tritonserver in the first part of its stop, in which it accepts no connection over
/// HTTP any more and still serves those that there are: it goes on when the last of them is closed.
#[derive(Debug)]
pub(in crate::triton) struct Hold {
    stream: TcpStream,
    server: SocketAddr,
}

impl Hold {
    /// Connects, and makes sure that the connection counts: tritonserver counts it before it reads from it.
    ///
    /// # Errors
    ///
    /// What the system says when tritonserver does not answer.
    pub(in crate::triton) async fn new(http: SocketAddr) -> io::Result<Self> {
        let server = reachable(http);
        let asked = async {
            let mut stream = TcpStream::connect(server).await?;
            let request = format!("GET /v2/health/live HTTP/1.1\r\nHost: {server}\r\n\r\n");
            stream.write_all(request.as_bytes()).await?;
            // Whatever it answers.
            stream.read_u8().await?;
            Ok(Self { stream, server })
        };
        timeout(PATIENCE, asked).await?
    }

    /// Its end on this side.
    pub(in crate::triton) fn address(&self) -> Option<SocketAddr> {
        self.stream.local_addr().ok()
    }

    /// Waits until tritonserver accepts no other connection.
    pub(in crate::triton) async fn alone(&self) {
        while let Ok(mut stream) = TcpStream::connect(self.server).await {
            // One that is accepted is not closed; one that is not accepted is closed at once.
            let closed = timeout(REFUSAL, stream.read_u8()).await;
            if closed.is_ok_and(|read| read.is_err()) {
                return;
            }
        }
    }
}
