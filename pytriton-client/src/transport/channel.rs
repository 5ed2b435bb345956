use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::{Request, Response, Uri};
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tower_service::Service;

use crate::{Address, ClientError};

use super::connector::Connector;
use super::{Tls, TransportError};

/// The HTTP/2 receive window, for one response and for all responses of a connection.
const STREAM_WINDOW: u32 = 8 << 20;
const CONNECTION_WINDOW: u32 = 32 << 20;

/// The largest HTTP/2 frame that the server may send. Large tensors in frames of the default 16 KiB
/// would need as many system calls.
const FRAME: u32 = 256 << 10;

/// How long a connection may be idle before it is not used again. Our servers close idle
/// connections after 75 s, possibly while a request is being sent.
const IDLE: Duration = Duration::from_secs(60);

/// The placeholder for the server in HTTP/1.1 request URIs; the `host` header names the server. The
/// connection pool reads it several times per request.
const HERE: &str = "-";

/// The header is removed: nothing reads it, and tonic panics if its contents are malformed.
const DETAILS: &str = "grpc-status-details-bin";

/// All connections to a server; clones share them.
pub(crate) struct Channel<B> {
    client: Client<Connector, B>,
    address: Arc<str>,
    connector: Connector,
    origin: Uri,
}

/// The body of a response.
#[derive(Debug)]
pub(crate) struct ResponseBody {
    body: Incoming,
    address: Arc<str>,
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = TransportError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, TransportError>>> {
        let Self { body, address } = self.get_mut();
        let lost = |error| TransportError::found(address, &error);
        let frame = ready!(Pin::new(body).poll_frame(context));
        Poll::Ready(frame.map(|frame| {
            let mut frame = frame.map_err(lost)?;
            if let Some(trailers) = frame.trailers_mut() {
                trailers.remove(DETAILS);
            }
            Ok(frame)
        }))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl<B> Channel<B>
where
    B: Body<Data = Bytes> + Send + Unpin + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    /// Creates a channel. Connections are made on demand.
    pub(crate) fn new(
        address: &Address,
        tls: &Tls,
        timeout: Duration,
    ) -> Result<Self, ClientError> {
        // The pool identifies connections by this address; the connector ignores it.
        let origin = match address.scheme().is_grpc() {
            true => format!("http://{}", address.authority()).parse(),
            false => format!("http://{HERE}").parse(),
        };
        let origin: Uri = origin.map_err(|error| ClientError::InvalidUrl {
            url: address.to_string(),
            reason: format!("{error}"),
        })?;
        Ok(Self::over(
            Connector::new(address.clone(), tls, timeout)?,
            origin,
        ))
    }

    /// Returns a channel to the same server without the existing connections.
    pub(crate) fn with_new_connections(&self) -> Self {
        Self::over(self.connector.clone(), self.origin.clone())
    }

    fn over(connector: Connector, origin: Uri) -> Self {
        let address = connector.address();
        let client = Client::builder(TokioExecutor::new())
            .http2_only(address.scheme().is_grpc())
            .http2_initial_stream_window_size(STREAM_WINDOW)
            .http2_initial_connection_window_size(CONNECTION_WINDOW)
            .http2_max_frame_size(FRAME)
            .set_host(false)
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE)
            .build(connector.clone());
        Self {
            client,
            address: address.to_string().into(),
            connector,
            origin,
        }
    }

    /// Sends a request and waits for the response head.
    pub(crate) async fn send(
        &self,
        request: Request<B>,
    ) -> Result<Response<ResponseBody>, TransportError> {
        let sent = self.client.request(request).await;
        let mut response = sent.map_err(|error| TransportError::found(&self.address, &error))?;
        response.headers_mut().remove(DETAILS);
        let address = Arc::clone(&self.address);
        Ok(response.map(|body| ResponseBody { body, address }))
    }

    /// Returns the address as text.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Returns the scheme and authority of request URIs.
    pub(crate) fn origin(&self) -> &Uri {
        &self.origin
    }
}

impl<B> Service<Request<B>> for Channel<B>
where
    B: Body<Data = Bytes> + Send + Unpin + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    type Response = Response<ResponseBody>;
    type Error = TransportError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let channel = self.clone();
        Box::pin(async move { channel.send(request).await })
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use http_body_util::{BodyExt, Empty};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};
    use tokio::time::{advance, pause, resume};

    use super::*;

    /// Responds to each request on a connection, and leaves it open.
    async fn response(mut connection: TcpStream) {
        let mut request = [0; 1024];
        while connection
            .read(&mut request)
            .await
            .is_ok_and(|read| read > 0)
        {
            let response = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
            connection.write_all(response).await.unwrap();
        }
    }

    #[tokio::test]
    async fn expiring_connection_is_not_reused() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let accepted = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&accepted);
        tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(response(connection));
            }
        });
        let (address, timeout) = (url.parse().unwrap(), Duration::from_secs(10));
        let channel = Channel::new(&address, &Tls::new(), timeout).unwrap();
        // Seconds without a request, and the number of connections after the next request.
        for (seconds, connections) in [(0, 1), (30, 1), (55, 1), (74, 2), (55, 2), (600, 3)] {
            pause();
            advance(Duration::from_secs(seconds)).await;
            resume();
            let mut request = Request::new(Empty::<Bytes>::new());
            *request.uri_mut() = channel.origin().clone();
            let response = channel.send(request).await.unwrap();
            response.into_body().collect().await.unwrap();
            assert_eq!(accepted.load(Ordering::SeqCst), connections, "{seconds} s");
        }
    }
}
