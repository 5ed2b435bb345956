use std::io;

use pytriton_tests::Server;

use crate::costly::{WATCH, connect};
use crate::http2::Http2;
use crate::sizes::Sizes;

/// The connections, and the streams of each: fewer than the smallest receive window of them allows.
const CONNECTIONS: u64 = 32;
const STREAMS: u32 = 20;

/// Returns the memory of the server for each health watch, in bytes.
///
/// # Errors
///
/// Returns the error of a connection.
pub(crate) fn watch_bytes(server: &Server) -> io::Result<u64> {
    let address = &server.banner().grpc;
    let open = || Http2::open(connect(address)?, false);
    let connections = (0..CONNECTIONS).map(|_| open());
    let mut connections = connections.collect::<io::Result<Vec<_>>>()?;
    let before = Sizes::of(server).resident;
    for connection in &mut connections {
        for number in 0..STREAMS {
            connection.send(2 * number + 1, WATCH, None, &[0; 5], true)?;
        }
    }
    for connection in &mut connections {
        connection.read_heads(STREAMS)?;
    }
    let more = Sizes::of(server).resident.saturating_sub(before);
    Ok(more / CONNECTIONS / u64::from(STREAMS))
}
