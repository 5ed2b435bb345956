use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, interval, sleep, timeout};

use crate::triton::Endpoints;

use super::{Child, Exit};

/// The pause between two questions.
const PAUSE: Duration = Duration::from_millis(5);

/// How long one question may take.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often it is said that the server is still being waited for: models beside ours may take minutes to load.
const REMINDER: Duration = Duration::from_secs(5);

/// Waits until a tritonserver answers on all its endpoints, and says so when it is asked whether it is `ready`, or `live`.
///
/// # Errors
///
/// How the child ended, when it ended before.
///
/// # Cancel safety
///
/// Dropping the future changes nothing.
pub async fn ready(child: &Child, endpoints: &Endpoints, question: &str) -> Result<(), Exit> {
    let started = Instant::now();
    let mut reminder = interval(REMINDER);
    reminder.tick().await;
    let asking = async {
        while !answers(endpoints, question).await {
            sleep(PAUSE).await;
        }
    };
    tokio::pin!(asking);
    loop {
        tokio::select! {
            biased;
            exit = child.exited() => return Err(exit),
            () = &mut asking => return Ok(()),
            _ = reminder.tick() => {
                let seconds = started.elapsed().as_secs();
                tracing::info!(seconds, "waiting for tritonserver to be ready");
            }
        }
    }
}

/// tritonserver opens its ports after it has loaded its models, one after the other: all must be open.
async fn answers(endpoints: &Endpoints, question: &str) -> bool {
    let Endpoints {
        http,
        grpc,
        metrics,
    } = *endpoints;
    for address in [grpc, metrics].into_iter().flatten() {
        if !matches!(
            timeout(PATIENCE, TcpStream::connect(reachable(address))).await,
            Ok(Ok(_))
        ) {
            return false;
        }
    }
    match http {
        None => true,
        Some(address) => matches!(
            timeout(PATIENCE, ask(reachable(address), question)).await,
            Ok(Ok(true))
        ),
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
