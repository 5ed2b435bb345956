use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use pytriton_tests::Banner;
use rustix::net::sockopt::set_socket_linger;

use crate::http2::Http2;

/// The timeout for a response.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(20);

/// How long a response stays unread, or a head or body incomplete.
const UNREAD: Duration = Duration::from_millis(1500);

/// The method of health watches.
pub(crate) const WATCH: &str = "/grpc.health.v1.Health/Watch";

/// The prefix of the status of a gRPC call.
pub(crate) const GRPC: &str = "gRPC ";

/// The maximum number of concurrent streams of a connection, and the headers of each, which reach
/// the size limit.
const STREAMS: u32 = 100;
const HEADERS: usize = 90;

/// The maximum number of the smallest fields in a table of headers.
const FIELDS: u32 = 110;

/// A request that costs the server much memory, or would if the server did not limit it.
pub(crate) struct Costly {
    pub name: &'static str,
    pub action: Action,
    pub reads: bool,
}

/// How it is sent.
pub(crate) enum Action {
    /// A complete HTTP/1.1 request, or the start of one.
    Http(Vec<u8>),
    /// A call over gRPC.
    Grpc {
        path: &'static str,
        encoding: Option<&'static str>,
        messages: Vec<u8>,
        ends: bool,
    },
    /// The maximum number of HTTP/2 streams, whose bodies are never sent.
    Heads,
    /// The maximum number of calls without a message, whose responses do not end.
    Watches,
    /// HTTP/2 requests in sequence with this header block, which adds a field to the table of
    /// headers. The connection then stays open.
    Table(Vec<u8>),
}

impl Costly {
    /// Sends the request and returns a summary of the response.
    ///
    /// # Errors
    ///
    /// Returns the error of the connection, which the server may close.
    pub(crate) fn send(&self, banner: &Banner) -> io::Result<String> {
        match &self.action {
            Action::Http(request) => {
                let mut stream = connect(&banner.http)?;
                // The server may refuse it before all of it has arrived.
                let written = stream.write_all(request);
                if self.reads {
                    return status(&mut stream, written);
                }
                written?;
                thread::sleep(UNREAD);
                Ok("unread".to_owned())
            }
            Action::Grpc {
                path,
                encoding,
                messages,
                ends,
            } => {
                let mut connection = Http2::open(connect(&banner.grpc)?, self.reads)?;
                let sent = connection.send(1, path, *encoding, messages, *ends)?;
                if sent && !self.reads {
                    thread::sleep(UNREAD);
                    return Ok("unread".to_owned());
                }
                if sent {
                    connection.read_to_end(1)?;
                }
                // A call that is refused early may be reset before its status is sent.
                Ok(match connection.status() {
                    Some(status) => format!("{GRPC}{status}"),
                    None => "reset".to_owned(),
                })
            }
            Action::Heads => {
                let mut connection = Http2::open(connect(&banner.grpc)?, false)?;
                for number in 0..STREAMS {
                    connection.send_head(2 * number + 1, crate::grpc_requests::INFER, HEADERS)?;
                }
                thread::sleep(UNREAD);
                Ok("unread".to_owned())
            }
            Action::Table(block) => {
                let mut connection = Http2::open(connect(&banner.grpc)?, true)?;
                for number in 0..FIELDS {
                    connection.send_block(2 * number + 1, block)?;
                    connection.read_to_end(2 * number + 1)?;
                }
                thread::sleep(UNREAD);
                Ok("unread".to_owned())
            }
            Action::Watches => {
                let mut connection = Http2::open(connect(&banner.grpc)?, false)?;
                for number in 0..STREAMS {
                    connection.send(2 * number + 1, WATCH, None, &[0; 5], true)?;
                }
                thread::sleep(UNREAD);
                Ok("unread".to_owned())
            }
        }
    }
}

/// A connection that is reset when it is dropped.
pub(crate) fn connect(address: &str) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(RESPONSE_TIMEOUT))?;
    stream.set_write_timeout(Some(RESPONSE_TIMEOUT))?;
    set_socket_linger(&stream, Some(Duration::ZERO))?;
    Ok(stream)
}

/// Reads a response to its end, and returns its status.
fn status(stream: &mut TcpStream, written: io::Result<()>) -> io::Result<String> {
    let mut line = [0; 12];
    if let Err(error) = stream.read_exact(&mut line) {
        written?;
        return Err(error);
    }
    let mut rest = vec![0; 64 << 10];
    while stream.read(&mut rest)? > 0 {}
    Ok(String::from_utf8_lossy(&line[9..]).into_owned())
}
