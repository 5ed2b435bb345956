use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::Uri;
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tower_service::Service;

use crate::{Address, ClientError};

use super::stream::Stream;
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
        let stream = TcpStream::connect(self.address.authority())
            .await
            .map_err(failed)?;
        stream.set_nodelay(true).map_err(failed)?;
        let Some((connector, name)) = &self.tls else {
            return Ok(Stream::Plain(stream));
        };
        let secured = connector.connect(name.clone(), stream).await;
        let secured = secured.map_err(|error| TransportError::tls(&address, &error))?;
        Ok(Stream::Tls(Box::new(secured)))
    }
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
