use std::cell::Cell;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;
use std::{fmt, io};

use pytriton_core::text::Legible;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, interval, sleep, timeout};

use crate::triton::Endpoints;

use super::listener::listens;
use super::{Child, ExitReport};

/// The interval between two polls.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// The timeout of one poll.
const POLL_TIMEOUT: Duration = Duration::from_secs(1);

/// The interval at which the log reports that the server is not ready yet. Other models may take
/// minutes to load.
const REMINDER_INTERVAL: Duration = Duration::from_secs(5);

/// The tritonserver is not ready.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotReady {
    /// It exited.
    Ended(ExitReport),
    /// It was not ready in time.
    StartupTimeout(StartupTimeout),
}

/// A tritonserver that was not ready in time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartupTimeout {
    /// The time limit.
    pub seconds: u64,
    /// The endpoint that did not respond last.
    pub missing: String,
    /// As in [`ExitReport`].
    pub last_lines: Vec<String>,
}

impl fmt::Display for StartupTimeout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            seconds, missing, ..
        } = self;
        write!(
            f,
            "was not ready within {seconds} seconds (option --ready-timeout-secs): {missing}"
        )?;
        for line in &self.last_lines {
            write!(f, "\n  {}", Legible(line))?;
        }
        Ok(())
    }
}

/// Waits until all endpoints of a tritonserver respond, and `/v2/health/{question}` (`ready` or
/// `live`) succeeds.
///
/// # Errors
///
/// Returns [`NotReady`]. A server that is late keeps running.
///
/// # Cancel safety
///
/// Dropping the future has no effect.
pub async fn ready(
    child: &Child,
    endpoints: &Endpoints,
    question: &str,
    time: Duration,
) -> Result<(), NotReady> {
    let started = Instant::now();
    let mut reminder = interval(REMINDER_INTERVAL);
    reminder.tick().await;
    let missing = Cell::new(String::new());
    let asking = async {
        while let Some(silent) = missing_of(child, endpoints, question).await {
            missing.set(silent);
            sleep(POLL_INTERVAL).await;
        }
    };
    let late = sleep(time);
    tokio::pin!(asking, late);
    loop {
        tokio::select! {
            biased;
            exit = child.exited() => return Err(NotReady::Ended(exit)),
            () = &mut asking => return Ok(()),
            () = &mut late => break,
            _ = reminder.tick() => {
                let seconds = started.elapsed().as_secs();
                tracing::info!(seconds, "waiting for tritonserver to be ready");
            }
        }
    }
    Err(NotReady::StartupTimeout(StartupTimeout {
        seconds: time.as_secs(),
        missing: missing.take(),
        last_lines: child.last_lines(),
    }))
}

/// Returns the endpoint of a child that does not respond, or that belongs to another process: one
/// that took the same port may be ready.
async fn missing_of(child: &Child, endpoints: &Endpoints, question: &str) -> Option<String> {
    if let Some(silent) = silent(endpoints, question).await {
        return Some(silent);
    }
    let Some(leader) = child.id() else {
        return Some("the process has exited".to_owned());
    };
    let ports = [
        ("HTTP", endpoints.http),
        ("gRPC", endpoints.grpc),
        ("metrics", endpoints.metrics),
    ];
    ports.into_iter().find_map(|(name, address)| {
        let address = address?;
        // If the owner of the port is unknown, the response is sufficient.
        let foreign = listens(leader, address.port()) == Some(false);
        foreign.then(|| {
            let address = reachable(address);
            format!("its {name} port ({address}) belongs to another process")
        })
    })
}

/// Returns the endpoint of a tritonserver that does not respond. It opens its ports one after the
/// other after it has loaded its models, so all must be open.
async fn silent(endpoints: &Endpoints, question: &str) -> Option<String> {
    let Endpoints {
        http,
        grpc,
        metrics,
    } = *endpoints;
    for (name, address) in [("gRPC", grpc), ("metrics", metrics)] {
        let Some(address) = address.map(reachable) else {
            continue;
        };
        let connected = timeout(POLL_TIMEOUT, TcpStream::connect(address)).await;
        if !matches!(connected, Ok(Ok(_))) {
            return Some(format!(
                "its {name} port ({address}) does not accept connections"
            ));
        }
    }
    let address = reachable(http?);
    match timeout(POLL_TIMEOUT, ask(address, question)).await {
        Ok(Ok(true)) => None,
        Ok(Ok(false)) => Some(format!(
            "/v2/health/{question} at {address} reports that the server is not {question}"
        )),
        Ok(Err(_)) | Err(_) => Some(format!(
            "/v2/health/{question} at {address} does not respond"
        )),
    }
}

async fn ask(address: SocketAddr, question: &str) -> io::Result<bool> {
    let mut stream = TcpStream::connect(address).await?;
    let request = format!(
        "GET /v2/health/{question} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await?;
    let mut status = [0; "HTTP/1.1 200".len()];
    stream.read_exact(&mut status).await?;
    // A refusal (`--http-restricted-api`) also shows that the server responds.
    Ok([&b" 200"[..], b" 403"]
        .iter()
        .any(|code| status.ends_with(code)))
}

/// Returns an address at which a server that listens on all addresses is reachable.
pub(in crate::triton) fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}
