use std::cell::Cell;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;
use std::{fmt, io};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, interval, sleep, timeout};

use crate::text::Legible;
use crate::triton::Endpoints;

use super::listener::listens;
use super::{Child, Exit};

/// The pause between two questions.
const PAUSE: Duration = Duration::from_millis(5);

/// How long one question may take.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often it is said that the server is still being waited for: models beside ours may take minutes to load.
const REMINDER: Duration = Duration::from_secs(5);

/// Why a tritonserver is not ready.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotReady {
    /// It ended before.
    Ended(Exit),
    /// It took longer than it may.
    Late(Late),
}

/// What a tritonserver was waited for in vain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Late {
    /// How long.
    pub seconds: u64,
    /// What did not answer last.
    pub missing: String,
    /// Its last error lines, oldest first; its last line of all where it had none.
    pub last_words: Vec<String>,
}

impl fmt::Display for Late {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            seconds, missing, ..
        } = self;
        write!(
            f,
            "was not ready within {seconds} seconds, which --ready-timeout-secs sets: {missing}"
        )?;
        for line in &self.last_words {
            write!(f, "\n  {}", Legible(line))?;
        }
        Ok(())
    }
}

/// Waits until a tritonserver answers on all its endpoints, and says so when it is asked whether it is `ready`, or `live`.
///
/// # Errors
///
/// [`NotReady`]; one that is late runs on.
///
/// # Cancel safety
///
/// Dropping the future changes nothing.
pub async fn ready(
    child: &Child,
    endpoints: &Endpoints,
    question: &str,
    time: Duration,
) -> Result<(), NotReady> {
    let started = Instant::now();
    let mut reminder = interval(REMINDER);
    reminder.tick().await;
    let missing = Cell::new(String::new());
    let asking = async {
        while let Some(silent) = missing_of(child, endpoints, question).await {
            missing.set(silent);
            sleep(PAUSE).await;
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
    Err(NotReady::Late(Late {
        seconds: time.as_secs(),
        missing: missing.take(),
        last_words: child.last_words(),
    }))
}

/// What of a child does not answer, or is another process's: that may have taken the same ports, and be ready.
async fn missing_of(child: &Child, endpoints: &Endpoints, question: &str) -> Option<String> {
    if let Some(silent) = silent(endpoints, question).await {
        return Some(silent);
    }
    let Some(leader) = child.id() else {
        return Some("the process has ended".to_owned());
    };
    let ports = [
        ("HTTP", endpoints.http),
        ("gRPC", endpoints.grpc),
        ("metrics", endpoints.metrics),
    ];
    ports.into_iter().find_map(|(name, address)| {
        let address = address?;
        // Where the system does not tell, the answer has to do.
        let foreign = listens(leader, address.port()) == Some(false);
        foreign.then(|| {
            let address = reachable(address);
            format!("its port for {name} ({address}) belongs to another process")
        })
    })
}

/// What of a tritonserver does not answer. It opens its ports after it has loaded its models, one after the other: all must
/// be open.
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
        let connected = timeout(PATIENCE, TcpStream::connect(address)).await;
        if !matches!(connected, Ok(Ok(_))) {
            return Some(format!(
                "its port for {name} ({address}) takes no connection"
            ));
        }
    }
    let address = reachable(http?);
    match timeout(PATIENCE, ask(address, question)).await {
        Ok(Ok(true)) => None,
        Ok(Ok(false)) => Some(format!(
            "/v2/health/{question} at {address} says that it is not"
        )),
        Ok(Err(_)) | Err(_) => Some(format!(
            "/v2/health/{question} at {address} is not answered"
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
    // Who may not ask (`--http-restricted-api`) still learns that the server answers.
    Ok([&b" 200"[..], b" 403"]
        .iter()
        .any(|code| status.ends_with(code)))
}

/// Where a server that listens on all addresses can be asked.
pub(in crate::triton) fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}
