use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt;
use http_body_util::combinators::MapErr;
use hyper::body::{Body, Incoming};
use hyper::{Request, Response, Uri};
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tower_service::Service;

use crate::{Address, ClientError};

use super::connector::Connector;
use super::{Tls, TransportError};

/// How much may be under way to a client before it is read: of one answer, and of all on a connection.
const STREAM_WINDOW: u32 = 8 << 20;
const CONNECTION_WINDOW: u32 = 32 << 20;

/// All connections to a server; clones share them.
pub(crate) struct Channel<B> {
    client: Client<Connector, B>,
    address: Arc<str>,
    connector: Connector,
    origin: Uri,
}

/// The body of an answer.
pub(crate) type Answer = MapErr<Incoming, Box<dyn FnMut(hyper::Error) -> TransportError + Send>>;

impl<B> Channel<B>
where
    B: Body<Data = Bytes> + Send + Unpin + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    /// No connection is made before one is needed.
    pub(crate) fn new(
        address: &Address,
        tls: &Tls,
        timeout: Duration,
    ) -> Result<Self, ClientError> {
        // Connections are known by the address alone, whatever the connector makes of it.
        let origin = format!("http://{}", address.authority()).parse();
        let origin: Uri = origin.map_err(|error| ClientError::InvalidUrl {
            url: address.to_string(),
            reason: format!("{error}"),
        })?;
        Ok(Self::over(
            Connector::new(address.clone(), tls, timeout)?,
            origin,
        ))
    }

    /// The same without the connections that there are.
    pub(crate) fn anew(&self) -> Self {
        Self::over(self.connector.clone(), self.origin.clone())
    }

    fn over(connector: Connector, origin: Uri) -> Self {
        let address = connector.address();
        let client = Client::builder(TokioExecutor::new())
            .http2_only(address.scheme().is_grpc())
            .http2_initial_stream_window_size(STREAM_WINDOW)
            .http2_initial_connection_window_size(CONNECTION_WINDOW)
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .build(connector.clone());
        Self {
            client,
            address: address.to_string().into(),
            connector,
            origin,
        }
    }

    /// The address in words.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Where requests are sent to.
    pub(crate) fn origin(&self) -> &Uri {
        &self.origin
    }
}

impl<B> Service<Request<B>> for Channel<B>
where
    B: Body<Data = Bytes> + Send + Unpin + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    type Response = Response<Answer>;
    type Error = TransportError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let (sent, address) = (self.client.request(request), Arc::clone(&self.address));
        Box::pin(async move {
            let sent = sent.await;
            let answer = sent.map_err(|error| TransportError::found(&address, &error))?;
            let lost = move |error: hyper::Error| TransportError::found(&address, &error);
            Ok(answer.map(|body| body.map_err(Box::new(lost) as _)))
        })
    }
}

impl<B> Clone for Channel<B> {
    fn clone(&self) -> Self {
        Self {
            client: self.client.clone(),
            address: Arc::clone(&self.address),
            connector: self.connector.clone(),
            origin: self.origin.clone(),
        }
    }
}

impl<B> fmt::Debug for Channel<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Channel").field(&self.address).finish()
    }
}
