use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::Uri;
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tower_service::Service;

use rustix::net::sockopt;

use crate::{Address, ClientError};

use super::stream::{Socket, Stream};
use super::{Tls, TransportError};

/// Connects to one server.
#[derive(Clone)]
pub(super) struct Connector(Arc<Target>);

struct Target {
    address: Address,
    tls: Option<(TlsConnector, ServerName<'static>)>,
    timeout: Duration,
}

impl Connector {
    pub(super) fn new(address: Address, tls: &Tls, timeout: Duration) -> Result<Self, ClientError> {
        let tls = address.scheme().has_tls().then(|| tls.connector(&address));
        Ok(Self(Arc::new(Target {
            tls: tls.transpose()?,
            address,
            timeout,
        })))
    }

    pub(super) fn address(&self) -> &Address {
        &self.0.address
    }
}

impl Target {
    async fn connect(&self) -> Result<Stream, TransportError> {
        let address = self.address.to_string();
        let failed = |error: io::Error| TransportError::connect(&address, &error);
        let addresses = lookup_host(self.address.authority()).await;
        let addresses: Vec<_> = addresses.map_err(failed)?.collect();
        let stream = connect_first(&addresses, self.timeout).await;
        let stream = stream.map_err(failed)?;
        stream.set_nodelay(true).map_err(failed)?;
        watch(&stream).map_err(|error| failed(error.into()))?;
        let socket = match &self.tls {
            None => Socket::Plain(stream),
            Some((connector, name)) => {
                let secured = connector.connect(name.clone(), stream).await;
                let secured = secured.map_err(|error| TransportError::tls(&address, &error))?;
                Socket::Tls(Box::new(secured))
            }
        };
        Ok(Stream::new(socket, self.address.scheme()))
    }
}

/// Connects to the first address that accepts a connection. Each address except the last has an
/// equal part of the timeout, so that one that does not respond does not hide the others. The
/// caller limits the total time.
async fn connect_first(addresses: &[SocketAddr], limit: Duration) -> io::Result<TcpStream> {
    let parts = u32::try_from(addresses.len()).unwrap_or(u32::MAX);
    let Some((last, others)) = addresses.split_last() else {
        return Err(io::Error::other("the name has no address"));
    };
    for address in others {
        if let Ok(Ok(stream)) = timeout(limit / parts, TcpStream::connect(address)).await {
            return Ok(stream);
        }
    }
    TcpStream::connect(last).await
}

/// TCP keepalive: the idle time before the first probe, the number of probes, and the response
/// time.
const IDLE: Duration = Duration::from_secs(10);
const INTERVAL: Duration = Duration::from_secs(5);
const GONE: Duration = Duration::from_secs(30);

/// Enables TCP keepalive, so that the system closes connections to unreachable servers.
///
/// HTTP/2 pings are not used: tritonserver accepts one in five minutes and closes the connection
/// otherwise.
fn watch(stream: &TcpStream) -> rustix::io::Result<()> {
    sockopt::set_socket_keepalive(stream, true)?;
    sockopt::set_tcp_keepidle(stream, IDLE)?;
    sockopt::set_tcp_keepintvl(stream, INTERVAL)?;
    #[cfg(target_os = "linux")]
    sockopt::set_tcp_user_timeout(stream, u32::try_from(GONE.as_millis()).unwrap_or(u32::MAX))?;
    #[cfg(not(target_os = "linux"))]
    sockopt::set_tcp_keepcnt(stream, 4)?;
    Ok(())
}

impl Service<Uri> for Connector {
    type Response = TokioIo<Stream>;
    type Error = TransportError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        let target = Arc::clone(&self.0);
        Box::pin(async move {
            let connected = timeout(target.timeout, target.connect()).await;
            let slow = |_| TransportError::slow(target.timeout);
            connected.map_err(slow)?.map(TokioIo::new)
        })
    }
}

#[cfg(test)]
mod tests {
    use tokio::net::{TcpListener, TcpSocket};

    use super::*;

    const MOMENT: Duration = Duration::from_millis(300);

    fn connector(url: &str, timeout: Duration) -> Connector {
        Connector::new(url.parse().unwrap(), &Tls::new(), timeout).unwrap()
    }

    #[tokio::test]
    #[cfg(target_os = "linux")]
    async fn lost_server_is_detected() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let connector = connector(&url, Duration::from_secs(5));
        let Socket::Plain(stream) = connector.0.connect().await.unwrap().socket else {
            panic!("it is secured")
        };
        assert_eq!(sockopt::socket_keepalive(&stream), Ok(true));
        assert_eq!(sockopt::tcp_keepidle(&stream), Ok(IDLE));
        assert_eq!(sockopt::tcp_keepintvl(&stream), Ok(INTERVAL));
        assert_eq!(sockopt::tcp_user_timeout(&stream), Ok(30_000));
    }

    /// A listener whose accept queue is full, so that the system does not respond to further
    /// connections.
    struct Unresponsive {
        listener: TcpListener,
        _waiting: Vec<TcpStream>,
    }

    impl Unresponsive {
        async fn new() -> Self {
            let socket = TcpSocket::new_v4().unwrap();
            socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
            let listener = socket.listen(1).unwrap();
            let address = listener.local_addr().unwrap();
            let mut waiting = Vec::new();
            while let Ok(connected) = timeout(MOMENT, TcpStream::connect(address)).await {
                waiting.push(connected.unwrap());
            }
            Self {
                listener,
                _waiting: waiting,
            }
        }

        fn address(&self) -> SocketAddr {
            self.listener.local_addr().unwrap()
        }
    }

    #[tokio::test]
    async fn unaccepted_connection_times_out() {
        let server = Unresponsive::new().await;
        let mut full = connector(&format!("http://{}", server.address()), MOMENT);
        let slow = full.call(Uri::from_static("/")).await.map(drop);
        assert_eq!(slow, Err(TransportError::slow(MOMENT)));
    }

    #[tokio::test]
    async fn next_address_is_used_if_one_does_not_respond() {
        let unresponsive = Unresponsive::new().await;
        let closed = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let refusing = closed.local_addr().unwrap();
        drop(closed);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        for others in [
            &[][..],
            &[refusing],
            &[unresponsive.address()],
            &[refusing, unresponsive.address(), refusing],
        ] {
            for position in 0..=others.len() {
                let mut addresses = others.to_vec();
                addresses.insert(position, address);
                let stream = connect_first(&addresses, 4 * MOMENT).await.unwrap();
                assert_eq!(stream.peer_addr().unwrap(), address, "{addresses:?}");
            }
        }
        let refused = connect_first(&[refusing, refusing], MOMENT).await;
        let refused = refused.unwrap_err().kind();
        assert_eq!(refused, io::ErrorKind::ConnectionRefused);
        assert!(connect_first(&[], MOMENT).await.is_err());
    }
}
