use std::error::Error;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::http::header::HOST;
use axum::http::{HeaderValue, Request, Response, StatusCode};
use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use thiserror::Error;
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::access::{Access, Group, Protocol};

/// So long a request waits for a connection while others have them all.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why a tritonserver on this machine gives no answer that could be handed on.
#[derive(Debug, Error)]
pub(super) enum Silence {
    /// The connection to tritonserver could not be made, or broke.
    #[error("tritonserver does not answer: {0}")]
    Gone(String),
    /// As many requests as may be are under way from this process to tritonserver.
    #[error("tritonserver does not answer: all connections to it are in use")]
    Full,
    /// A request of the page takes longer than five minutes: whoever has more time has tritonserver's own port.
    #[error("tritonserver does not answer: it takes too long")]
    Late,
    /// An answer that is larger than requests may be is not handed on.
    #[error("tritonserver does not answer: its answer is larger than --http-max-input-size")]
    TooLarge,
    /// As many requests of OpenAI's routes as may be are under way from this process to tritonserver.
    #[error("too many texts are being made at a time")]
    Texts,
    /// tritonserver refused a request of OpenAI's routes without saying why.
    #[error("tritonserver answered with status {0}")]
    Status(StatusCode),
}

/// A tritonserver on this machine, as it is asked over HTTP.
#[derive(Debug)]
pub(crate) struct Beside {
    /// Where it answers.
    address: SocketAddr,
    /// What opens its groups.
    access: Arc<Access>,
    /// A place for each connection: tritonserver keeps a descriptor for each, and has no bound of its own.
    places: Arc<Semaphore>,
}

impl Beside {
    /// The one that listens there, to which no more than `connections` are made at a time.
    pub(crate) fn new(listens: SocketAddr, access: Arc<Access>, connections: usize) -> Self {
        Self {
            address: reached(listens),
            access,
            places: Arc::new(Semaphore::new(connections)),
        }
    }

    /// A place for a connection; `None` where others have them all for too long.
    pub(super) async fn place(&self) -> Option<OwnedSemaphorePermit> {
        let place = Arc::clone(&self.places).acquire_owned();
        // Nobody closes it.
        timeout(PATIENCE, place).await.ok().and_then(Result::ok)
    }

    /// Sends a request of a group, which it opens, over a connection that lives as long as its task.
    pub(super) async fn send(
        &self,
        mut request: Request<Full<Bytes>>,
        group: Group,
        connection: &mut JoinSet<()>,
    ) -> Result<Response<Incoming>, Box<dyn Error + Send + Sync>> {
        let headers = request.headers_mut();
        headers.insert(HOST, HeaderValue::try_from(self.address.to_string())?);
        if let Some((header, secret)) = self.access.key(Protocol::Http, group) {
            let header = axum::http::HeaderName::from_bytes(header.as_bytes())?;
            headers.insert(header, HeaderValue::from_str(secret.expose())?);
        }
        let mut sender = connect(self.address, connection).await?;
        Ok(sender.send_request(request).await?)
    }
}

/// Where one is reached that listens there.
pub(super) fn reached(listens: SocketAddr) -> SocketAddr {
    let ip = match listens.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listens.port())
}

/// Connects, and drives the connection in a task.
pub(super) async fn connect(
    address: SocketAddr,
    connection: &mut JoinSet<()>,
) -> Result<http1::SendRequest<Full<Bytes>>, Box<dyn Error + Send + Sync>> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let (sender, driver) = http1::handshake(TokioIo::new(stream)).await?;
    connection.spawn(async move {
        // Whoever reads the body hears of it.
        let _ = driver.await;
    });
    Ok(sender)
}
