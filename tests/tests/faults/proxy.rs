use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use pytriton_tests::Result;

/// The number of bytes between two pauses of the slow direction.
const PIECE: usize = 256 << 10;

/// The slow direction between a client and a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slow {
    /// Requests are slow.
    Up,
    /// Responses are slow.
    Down,
}

/// Starts a proxy for a server in which one direction pauses repeatedly, and returns its address.
///
/// Data waits at the sender during a pause, because no buffer of the proxy is larger than a piece.
pub(crate) fn slow_way(server: &str, slow: Slow, pause: Duration) -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let server = server.to_owned();
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let Ok(upstream) = TcpStream::connect(&server) else {
                return;
            };
            let (Ok(from), Ok(to)) = (client.try_clone(), upstream.try_clone()) else {
                return;
            };
            let pauses = |direction| (slow == direction).then_some(pause);
            let (up, down) = (pauses(Slow::Up), pauses(Slow::Down));
            thread::spawn(move || pass(from, to, up));
            thread::spawn(move || pass(upstream, client, down));
        }
    });
    Ok(address)
}

fn pass(mut from: TcpStream, mut to: TcpStream, pause: Option<Duration>) {
    let mut piece = vec![0; PIECE];
    while let Ok(len @ 1..) = from.read(&mut piece) {
        if to.write_all(&piece[..len]).is_err() {
            break;
        }
        if let Some(pause) = pause.filter(|_| len > PIECE / 4) {
            thread::sleep(pause);
        }
    }
    // Reports the end to the other side, which may have disconnected already.
    let _ = to.shutdown(std::net::Shutdown::Write);
}
