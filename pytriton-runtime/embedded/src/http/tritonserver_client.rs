use std::error::Error;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::http::header::HOST;
use axum::http::{HeaderName, HeaderValue, Request, Response, StatusCode};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use parking_lot::{Mutex, MutexGuard};
use pytriton_engine::access::{Access, Group, Protocol};
use thiserror::Error;
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::standby::{Lease, Sender, Standby, connections};

/// How long a request waits for a connection if all of them are in use.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(10);

/// The maximum number of connections for requests that are accepted but not yet sent when the
/// server stops.
const MAX_STANDBY: usize = 32;

/// How long tritonserver may take to accept them.
const STANDBY_TIMEOUT: Duration = Duration::from_secs(1);

/// Why a tritonserver on this machine has not given a usable response.
#[derive(Debug, Error)]
pub(super) enum TritonserverError {
    /// The connection could not be opened or has failed.
    #[error("tritonserver does not respond: {0}")]
    Disconnected(String),
    /// This process has the maximum number of concurrent requests to tritonserver.
    #[error("tritonserver does not respond: all connections to it are in use")]
    Full,
    /// A request of the docs page takes longer than five minutes. Longer ones need tritonserver's
    /// own port.
    #[error("tritonserver did not respond in time")]
    Late,
    /// The response is larger than a request may be.
    #[error("tritonserver does not respond: its response is larger than --http-max-input-size")]
    TooLarge,
    /// This process has the maximum number of concurrent OpenAI requests to tritonserver.
    #[error("too many concurrent OpenAI requests")]
    Texts,
    /// tritonserver refused an OpenAI request without a message.
    #[error("tritonserver responded with status {0}")]
    Status(StatusCode),
}

impl TritonserverError {
    /// The error of a failed connection.
    pub(super) fn disconnected(error: impl fmt::Display) -> Self {
        Self::Disconnected(error.to_string())
    }
}

/// An HTTP client of a tritonserver on this machine.
#[derive(Debug)]
pub struct TritonserverClient {
    /// The HTTP address of tritonserver.
    address: SocketAddr,
    /// Provides the headers of restricted groups.
    access: Arc<Access>,
    /// Limits the connections. tritonserver needs a descriptor for each and has no limit.
    connection_permits: Arc<Semaphore>,
    /// The connections that are used while the server stops, when tritonserver accepts no others.
    standby: Mutex<Option<Standby>>,
}

/// A connection to tritonserver for one request.
#[derive(Debug)]
pub(super) enum Connection {
    /// A connection for this request only.
    Own {
        sender: Sender,
        _driver: JoinSet<()>,
        _permit: OwnedSemaphorePermit,
    },
    /// A connection opened before tritonserver stopped accepting.
    Standby(Lease),
}

impl TritonserverClient {
    /// Creates a client for this address, with at most `connections` concurrent connections.
    pub fn new(listens: SocketAddr, access: Arc<Access>, connections: usize) -> Self {
        Self {
            address: reached(listens),
            access,
            connection_permits: Arc::new(Semaphore::new(connections)),
            standby: Mutex::default(),
        }
    }

    /// Returns a connection for a request.
    ///
    /// # Errors
    ///
    /// Returns [`TritonserverError::Full`] if no connection becomes available in time, or
    /// [`TritonserverError::Disconnected`] if tritonserver does not accept the connection.
    pub(super) async fn connect(&self) -> Result<Connection, TritonserverError> {
        let standby = self.standby().clone();
        match standby {
            Some(standby) => {
                let lease = standby.take(CONNECTION_TIMEOUT).await;
                lease
                    .map(Connection::Standby)
                    .ok_or(TritonserverError::Full)
            }
            None => self.connect_to(self.address).await,
        }
    }

    /// Like [`connect`](Self::connect), for another port of tritonserver, which stays open while it
    /// stops.
    pub(super) async fn connect_to(
        &self,
        address: SocketAddr,
    ) -> Result<Connection, TritonserverError> {
        let permit = Arc::clone(&self.connection_permits).acquire_owned();
        // The semaphore is never closed.
        let permit = timeout(CONNECTION_TIMEOUT, permit)
            .await
            .ok()
            .and_then(Result::ok);
        let permit = permit.ok_or(TritonserverError::Full)?;
        let opened = open(address).await;
        let (sender, _, driver) = opened.map_err(TritonserverError::disconnected)?;
        let mut tasks = JoinSet::new();
        tasks.spawn(driver);
        Ok(Connection::Own {
            sender,
            _driver: tasks,
            _permit: permit,
        })
    }

    /// Adds the host and the header that a group requires.
    pub(super) fn open_group(
        &self,
        request: &mut Request<Full<Bytes>>,
        group: Group,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let headers = request.headers_mut();
        headers.insert(HOST, HeaderValue::try_from(self.address.to_string())?);
        if let Some((header, secret)) = self.access.key(Protocol::Http, group) {
            let header = HeaderName::from_bytes(header.as_bytes())?;
            headers.insert(header, HeaderValue::from_str(secret.expose())?);
        }
        Ok(())
    }

    /// Opens connections for requests that have been accepted, before tritonserver receives the
    /// signal to stop. They are used from now on. Returns their local addresses.
    pub async fn prepare_to_stop(self: &Arc<Self>) -> Vec<SocketAddr> {
        let count = self
            .connection_permits
            .available_permits()
            .clamp(1, MAX_STANDBY);
        let connect = || {
            let client = Arc::clone(self);
            async move { client.accepted().await.ok() }
        };
        let made = connections(count, STANDBY_TIMEOUT, connect).await;
        let (senders, addresses) = made.into_iter().unzip();
        *self.standby() = Some(Standby::new(senders));
        addresses
    }

    /// Closes the connections that were opened for the stop.
    pub fn stopped(&self) {
        *self.standby() = None;
    }

    /// Opens a connection and waits for a response, which shows that tritonserver itself has
    /// accepted the connection, and not only the system.
    async fn accepted(&self) -> Result<(Sender, SocketAddr), Box<dyn Error + Send + Sync>> {
        let (mut sender, address, driver) = open(self.address).await?;
        tokio::spawn(driver);
        let mut request = Request::get("/v2/health/live").body(Full::default())?;
        self.open_group(&mut request, Group::Health)?;
        sender.send_request(request).await?.collect().await?;
        sender.ready().await?;
        Ok((sender, address))
    }

    fn standby(&self) -> MutexGuard<'_, Option<Standby>> {
        // The value is replaced as a whole.
        self.standby.lock()
    }
}

impl Connection {
    /// Sends a request unchanged.
    pub(super) async fn send(
        &mut self,
        request: Request<Full<Bytes>>,
    ) -> Result<Response<Incoming>, Box<dyn Error + Send + Sync>> {
        let sender = match self {
            Self::Own { sender, .. } => Some(sender),
            Self::Standby(lease) => lease.sender.as_mut(),
        };
        let sender = sender.ok_or("the connection is closed")?;
        Ok(sender.send_request(request).await?)
    }
}

/// Returns the address to connect to for this listener.
pub(super) fn reached(listens: SocketAddr) -> SocketAddr {
    let ip = match listens.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listens.port())
}

/// Connects. Also returns the local address and the future that drives the connection.
async fn open(
    address: SocketAddr,
) -> Result<
    (Sender, SocketAddr, impl Future<Output = ()> + Send + use<>),
    Box<dyn Error + Send + Sync>,
> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let local = stream.local_addr()?;
    let (sender, driver) = http1::handshake(TokioIo::new(stream)).await?;
    let driver = async move {
        // The request receives the error too.
        let _ = driver.await;
    };
    Ok((sender, local, driver))
}

#[cfg(test)]
#[path = "tritonserver_client_tests.rs"]
mod tests;
