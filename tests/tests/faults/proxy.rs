use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use pytriton_tests::Result;

/// How much passes between two pauses of the slow direction.
const PIECE: usize = 256 << 10;

/// What is slow on the way between a client and a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slow {
    /// Requests.
    Up,
    /// Answers.
    Down,
}

/// A way to a server on which one direction pauses again and again; returns where clients find it.
///
/// What a pause holds back stays with its sender: no buffer of the way is larger than a piece.
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
    // The other side learns of the end, or has gone before.
    let _ = to.shutdown(std::net::Shutdown::Write);
}
