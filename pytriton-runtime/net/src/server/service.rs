use std::error::Error;

use bytes::Bytes;
use http::Response;
use http::request::Parts;
use http_body::Body;
use tokio::net::TcpStream;

use crate::{Refusal, RequestBody};

/// The application behind a port.
///
/// Unlike a tower service, it needs no allocation for the future of a request, and it creates the
/// responses to requests that the port refuses. [`TowerService`](crate::TowerService) implements it
/// for tower services.
pub trait HttpService: Send + Sync + Sized + 'static {
    /// The body of a response.
    type Body: ResponseContent;

    /// Returns the service of a new connection.
    fn connect(&self) -> Self;

    /// Prepares the service of a new connection, before its first request. The
    /// default implementation does nothing.
    fn accept(&mut self, _: &TcpStream) {}

    /// Returns whether a request is served on a connection beyond the connection limit.
    fn is_health(&self, head: &Parts) -> bool;

    /// Creates the response to a request that the port refuses.
    fn refuse(&self, head: &Parts, refusal: Refusal) -> Response<Self::Body>;

    /// Handles a request. The requests of a connection are passed in their order of arrival, but
    /// the futures may run in any order. If the client has authenticated with a certificate, the
    /// extensions contain the [`ClientCertificate`](crate::tls::ClientCertificate).
    fn call(
        &self,
        head: Parts,
        body: RequestBody,
    ) -> impl Future<Output = Response<Self::Body>> + Send + 'static + use<Self>;
}

/// The body of a response.
pub trait ResponseContent:
    Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + Unpin + 'static
{
    /// Returns bytes that may be sent between parts of the body without changing its meaning, such
    /// as a comment of an event stream. They show whether a client that is silent is still
    /// connected. The default implementation returns `None`.
    fn comment(&self) -> Option<Bytes> {
        None
    }
}
