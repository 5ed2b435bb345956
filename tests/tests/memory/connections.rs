//! Many connections whose memory is not that of a request.

use std::io::{self, Write};
use std::net::TcpStream;

use pytriton_tests::Banner;

use crate::costly::{Action, Costly, connect};
use crate::frames::{DATA, END_STREAM, call, frame, hello, prefix, read_answer};
use crate::probe::get;

/// The idle connections of each port: fewer than are allowed, so that other clients can connect.
const IDLE_PER_PORT: usize = 512;

/// The largest frame.
const PAYLOAD: usize = 16 << 10;

/// Connections that have sent one request and stay open.
#[derive(Debug)]
pub(crate) struct IdleConnections {
    _streams: Vec<TcpStream>,
}

impl IdleConnections {
    /// Opens connections over HTTP/1.1 and HTTP/2.
    pub(crate) fn open(banner: &Banner) -> io::Result<Self> {
        let http1 = (0..IDLE_PER_PORT).map(|_| {
            let mut stream = connect(&banner.http)?;
            get(&mut stream, "/v2/health/live", "")?;
            Ok(stream)
        });
        let http2 = (0..IDLE_PER_PORT).map(|_| {
            let mut stream = connect(&banner.grpc)?;
            let request = [
                hello(1 << 16),
                call(1, "/inference.GRPCInferenceService/ServerLive", None),
                frame(DATA, END_STREAM, 1, &prefix(0, 0)),
            ];
            stream.write_all(&request.concat())?;
            read_answer(&mut stream, 1)?;
            Ok(stream)
        });
        let streams = http1.chain(http2).collect::<io::Result<_>>()?;
        Ok(Self { _streams: streams })
    }
}

/// Returns connections that occupy memory although none of their requests is complete, or although
/// all have ended.
pub(crate) fn costly_connections() -> Vec<Costly> {
    let costly = |name, action| Costly {
        name,
        action,
        reads: false,
    };
    let head = format!(
        "GET / HTTP/1.1\r\nHost: localhost\r\nX: {}",
        "x".repeat(15_000)
    );
    vec![
        costly("half a head", Action::Http(head.into_bytes())),
        costly("table", Action::Table(path_and_header())),
        costly("heads", Action::Heads),
        costly("watches", Action::Watches),
    ]
}

/// A header block of the largest size: a path that is added to the table, and a header that is not.
fn path_and_header() -> Vec<u8> {
    // `:method: POST`, `:scheme: http`, `:authority: x`, and `:path: /`.
    let mut block = vec![0x83, 0x86, 0x01, 1, b'x', 0x44, 1, b'/'];
    let rest = PAYLOAD - block.len() - 6 - 127;
    let [low, high] = [rest % 128 + 128, rest / 128].map(|byte| u8::try_from(byte).unwrap_or(0));
    block.extend([0, 1, b'h', 127, low, high]);
    block.resize(PAYLOAD, b'v');
    block
}
