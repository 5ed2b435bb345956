use std::fmt;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use pytriton_tests::Server;

use crate::frames::{
    DATA, END_HEADERS, END_STREAM, HEADERS, call, frame, header_block, hello, prefix, read_answer,
    read_frame, varint,
};

/// The pause between two probes.
const PAUSE: Duration = Duration::from_millis(10);

/// The time limit of a probe.
const READ_TIMEOUT: Duration = Duration::from_secs(10);

/// The size of the token of probes with large heads, and the pause within them.
const TOKEN_BYTES: usize = 6 << 10;
const HEAD_PAUSE: Duration = Duration::from_millis(2);

/// Continuous health checks of a server.
pub(crate) struct Probes {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<Probed>>,
}

/// The results of one kind of probe.
pub(crate) struct Probed {
    name: &'static str,
    took: Vec<Duration>,
    /// Failed probes.
    pub errors: Vec<String>,
}

type Probe = fn(&str, &mut Option<TcpStream>) -> io::Result<()>;

impl Probes {
    /// Starts probes over HTTP on one connection, over HTTP on a new connection each, and over gRPC
    /// on a new connection each. Some have large heads that arrive in pieces.
    pub(crate) fn start(server: &Server) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let banner = server.banner();
        let probes: [(&'static str, &String, Probe); 6] = [
            ("HTTP, one connection", &banner.http, on_one),
            ("HTTP, new connections", &banner.http, on_new),
            ("metrics, new connections", &banner.metrics, metrics),
            ("gRPC, new connections", &banner.grpc, grpc),
            ("HTTP, large heads", &banner.http, large_head),
            ("gRPC, large heads", &banner.grpc, grpc_large_head),
        ];
        let threads = probes.into_iter().map(|(name, address, probe)| {
            let (stop, address) = (Arc::clone(&stop), address.clone());
            thread::spawn(move || probe_on(name, &address, probe, &stop))
        });
        Self {
            threads: threads.collect(),
            stop,
        }
    }

    /// Stops the probes and returns their results.
    pub(crate) fn stop(self) -> Vec<Probed> {
        self.stop.store(true, Ordering::Relaxed);
        let probed = self.threads.into_iter().map(JoinHandle::join);
        probed.flatten().collect()
    }
}

fn probe_on(name: &'static str, address: &str, probe: Probe, stop: &AtomicBool) -> Probed {
    let mut probed = Probed {
        name,
        took: Vec::new(),
        errors: Vec::new(),
    };
    let mut connection = None;
    while !stop.load(Ordering::Relaxed) {
        let begun = Instant::now();
        if let Err(error) = probe(address, &mut connection) {
            connection = None;
            probed
                .errors
                .push(format!("{error} after {:?}", begun.elapsed()));
        }
        probed.took.push(begun.elapsed());
        thread::sleep(PAUSE);
    }
    probed
}

impl Probed {
    /// Returns a percentile of the response times.
    pub(crate) fn percentile(&self, percent: usize) -> Duration {
        let mut took = self.took.clone();
        took.sort_unstable();
        let place = took.len() * percent / 100;
        took.get(place).copied().unwrap_or(Duration::MAX)
    }
}

impl fmt::Display for Probed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [half, most, longest] = [50, 99, 100].map(|percent| match percent {
            100 => self.took.iter().max().copied().unwrap_or_default(),
            _ => self.percentile(percent),
        });
        let (name, count, errors) = (self.name, self.took.len(), self.errors.len());
        write!(
            formatter,
            "{name}: {count} probes, {errors} errors, p50 {half:?}, p99 {most:?}, longest {longest:?}"
        )
    }
}

fn connect(address: &str) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(READ_TIMEOUT))?;
    stream.set_write_timeout(Some(READ_TIMEOUT))?;
    Ok(stream)
}

/// The end of the response of a live server.
const LIVE: &[u8] = b"\r\n\r\n{\"live\":true}";

/// Sends a health request. Reads the response to its end if `header` closes the connection.
pub(crate) fn get(stream: &mut TcpStream, path: &str, header: &str) -> io::Result<()> {
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: localhost\r\n{header}\r\n"
    )?;
    expect_success(stream, !header.is_empty())
}

/// Reads a response, to the end of the connection if the request closes it.
fn expect_success(stream: &mut TcpStream, closes: bool) -> io::Result<()> {
    let mut answer = Vec::new();
    if !closes {
        let mut byte = [0];
        while !answer.ends_with(LIVE) {
            stream.read_exact(&mut byte)?;
            answer.push(byte[0]);
        }
    } else {
        stream.read_to_end(&mut answer)?;
    }
    let line = String::from_utf8_lossy(answer.get(..15).unwrap_or_default()).into_owned();
    match line.starts_with("HTTP/1.1 200 ") {
        true => Ok(()),
        false => Err(io::Error::other(format!("`{line}`"))),
    }
}

fn on_one(address: &str, connection: &mut Option<TcpStream>) -> io::Result<()> {
    let stream = match connection {
        Some(stream) => stream,
        None => connection.insert(connect(address)?),
    };
    get(stream, "/v2/health/live", "")
}

fn on_new(address: &str, _: &mut Option<TcpStream>) -> io::Result<()> {
    get(
        &mut connect(address)?,
        "/v2/health/live",
        "Connection: close\r\n",
    )
}

fn metrics(address: &str, _: &mut Option<TcpStream>) -> io::Result<()> {
    get(&mut connect(address)?, "/metrics", "Connection: close\r\n")
}

fn grpc(address: &str, _: &mut Option<TcpStream>) -> io::Result<()> {
    let mut stream = connect(address)?;
    let ask = [
        hello(1 << 16),
        call(1, "/inference.GRPCInferenceService/ServerLive", None),
        frame(DATA, END_STREAM, 1, &prefix(0, 0)),
    ];
    stream.write_all(&ask.concat())?;
    read_answer(&mut stream, 1)
}

fn large_head(address: &str, _: &mut Option<TcpStream>) -> io::Result<()> {
    let mut stream = connect(address)?;
    let head = format!(
        "GET /v2/health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: {}",
        "x".repeat(TOKEN_BYTES)
    );
    let (one, other) = head.split_at(TOKEN_BYTES / 2);
    for piece in [one, other] {
        stream.write_all(piece.as_bytes())?;
        thread::sleep(HEAD_PAUSE);
    }
    stream.write_all(b"\r\n\r\n")?;
    expect_success(&mut stream, true)
}

fn grpc_large_head(address: &str, _: &mut Option<TcpStream>) -> io::Result<()> {
    let mut stream = connect(address)?;
    let mut block = header_block("/grpc.health.v1.Health/Check", None);
    // The length begins with seven bits.
    let length = [vec![127], varint(TOKEN_BYTES - 127)].concat();
    block.extend([&[0, 13], b"authorization".as_slice(), &length].concat());
    block.extend([b'x'; TOKEN_BYTES]);
    let head = [hello(1 << 16), frame(HEADERS, END_HEADERS, 1, &block)].concat();
    let (one, other) = head.split_at(TOKEN_BYTES / 2);
    for piece in [one, other] {
        stream.write_all(piece)?;
        thread::sleep(HEAD_PAUSE);
    }
    stream.write_all(&frame(DATA, END_STREAM, 1, &prefix(0, 0)))?;
    // A refusal has no message.
    while read_frame(&mut stream)?.kind != DATA {}
    read_answer(&mut stream, 1)
}
