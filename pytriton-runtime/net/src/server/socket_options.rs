use std::time::Duration;

use tokio::net::TcpStream;

/// The response bytes that the system buffers for a client that does not read. The system requests
/// more when half of them are sent. By default, it buffers up to 4 MiB and requests more when a
/// third is sent. A slow but steady client may not read that much within the timeout.
#[cfg(target_os = "linux")]
const MAX_UNSENT_BYTES: u32 = 512 << 10;

/// Sets the socket options. They fail only if the connection is already closed.
pub(crate) fn set_socket_options(stream: &TcpStream, stalled: Duration) {
    // Small responses must not wait for more data.
    let _ = stream.set_nodelay(true);
    #[cfg(target_os = "linux")]
    let _ = socket2::SockRef::from(stream).set_tcp_notsent_lowat(MAX_UNSENT_BYTES);
    // A client that reads nothing must not keep the connection open forever.
    #[cfg(target_os = "linux")]
    {
        let milliseconds = u32::try_from(stalled.as_millis()).unwrap_or(u32::MAX);
        let _ = rustix::net::sockopt::set_tcp_user_timeout(stream, milliseconds);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = stalled;
}
