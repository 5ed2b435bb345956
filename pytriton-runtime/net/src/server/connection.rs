use std::convert::Infallible;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::Either;
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};

use crate::server::close_reason::{CloseReason, closing, closing_or_retired};
use crate::server::connection_state::{ConnectionState, IdleReason};
use crate::server::coop_poll::CoopPoll;
use crate::server::handshake::handshake;
use crate::server::head_budget::HeadBudget;
use crate::server::http_builders::{HttpBuilders, StreamExecutor};
use crate::server::port::{Port, health_budget};
use crate::server::response_body::ResponseBody;
use crate::server::socket_options::set_socket_options;
use crate::server::stop::stopped;
use crate::server::stream::Stream;
use crate::server::timeouts::Timeouts;
use crate::server::tracked_io::TrackedIo;
use crate::tls::Certificates;
use crate::{ConnectionLimits, HostCheck, HttpService, Protocol, ReceiveWindows, ResponseContent};

/// How long a connection without a request may still send one when the server stops.
const LAST_REQUEST_TIMEOUT: Duration = Duration::from_millis(100);

/// How long a connection that accepts no further requests may stay in a state. It accepts none
/// because the server stops, the connection was idle, or it keeps too much memory.
const CLOSING_TIMEOUT: Duration = Duration::from_secs(5);

/// How a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It was closed by the client or because it was idle.
    Itself,
    /// The server stopped, and the client did not read a response that was ready.
    Unread,
    /// It was cut when the time to stop was over.
    Cut,
}

/// Serves the connections of one port.
#[derive(Debug)]
pub struct Connections<S> {
    builders: Arc<HttpBuilders>,
    windows: Arc<ReceiveWindows>,
    heads: HeadBudget,
    protocol: Protocol,
    port: Arc<Port<S>>,
    certificates: Option<Certificates>,
    limits: ConnectionLimits,
    timeouts: Timeouts,
}

impl<S> Clone for Connections<S> {
    fn clone(&self) -> Self {
        Self {
            builders: Arc::clone(&self.builders),
            windows: Arc::clone(&self.windows),
            heads: self.heads.clone(),
            protocol: self.protocol,
            port: Arc::clone(&self.port),
            certificates: self.certificates.clone(),
            limits: self.limits,
            timeouts: self.timeouts,
        }
    }
}

impl<S: HttpService> Connections<S> {
    /// Serves HTTP/1.1 and HTTP/2 in plain text, and allows every host name. The ports of a server
    /// share `windows`.
    pub fn new(service: S, limits: &ConnectionLimits, windows: &Arc<ReceiveWindows>) -> Self {
        Self {
            builders: Arc::new(HttpBuilders::new(limits, windows.budget().limit())),
            windows: Arc::clone(windows),
            heads: HeadBudget::new(windows.budget(), limits.max_header_bytes),
            protocol: Protocol::Both,
            port: Arc::new(Port {
                service,
                budget: Arc::clone(windows.budget()),
                health_budget: health_budget(),
                exhausted: None,
                hosts: HostCheck::Any,
            }),
            certificates: None,
            limits: *limits,
            timeouts: Timeouts {
                idle: limits.header_timeout,
                response: limits.min_rate(),
            },
        }
    }

    /// Sets the protocols.
    pub fn protocol(mut self, protocol: Protocol) -> Self {
        self.protocol = protocol;
        self
    }

    /// Serves TLS if there is a certificate.
    pub fn certificates(mut self, certificates: Option<Certificates>) -> Self {
        self.certificates = certificates;
        self
    }

    /// Checks the host names of requests.
    pub fn hosts(self, hosts: HostCheck) -> Self {
        let exhausted = self.port.exhausted;
        self.with_port(exhausted, hosts)
    }

    /// Serves only health requests, because `connections` connections are open already.
    pub(crate) fn exhausted(self, connections: u32) -> Self {
        let hosts = self.port.hosts.clone();
        self.with_port(Some(connections), hosts)
    }

    fn with_port(mut self, exhausted: Option<u32>, hosts: HostCheck) -> Self {
        self.port = Arc::new(Port {
            service: self.port.service.connect(),
            budget: Arc::clone(&self.port.budget),
            health_budget: Arc::clone(&self.port.health_budget),
            exhausted,
            hosts,
        });
        self
    }

    /// Returns the limits.
    pub(crate) fn limits(&self) -> &ConnectionLimits {
        &self.limits
    }

    /// Serves a connection to its end. When `stop` is set, requests that have arrived are
    /// completed, until the time that it holds at the latest.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future closes the connection.
    pub fn serve(
        self,
        stream: TcpStream,
        stop: watch::Receiver<Option<Instant>>,
    ) -> impl Future<Output = Ending> + Send {
        self.serve_tracked(stream, ConnectionState::new(), stop)
    }

    /// Like [`serve`](Self::serve), with a state that shows whether the connection is idle.
    pub(crate) async fn serve_tracked(
        self,
        stream: TcpStream,
        state: ConnectionState,
        mut stop: watch::Receiver<Option<Instant>>,
    ) -> Ending {
        set_socket_options(&stream, self.limits.body_timeout);
        let mut service = self.port.service.connect();
        service.accept(&stream);
        let stream = match &self.certificates {
            None => Stream::Plain(stream),
            // TLS is rare and must not enlarge the future of every connection.
            Some(certificates) => {
                match Box::pin(handshake(certificates, stream, &mut stop)).await {
                    Some(stream) => stream,
                    None => return Ending::Itself,
                }
            }
        };
        let certificate = stream.client_certificate();
        let mut io = TrackedIo::new(stream, &state);
        let http2 = match self.protocol {
            Protocol::Http2 => true,
            Protocol::Both => {
                let closing = Box::pin(closing(&mut stop, &state, self.timeouts));
                tokio::select! {
                    biased;
                    http2 = io.is_http2() => match http2 {
                        Ok(http2) => http2,
                        Err(_) => return Ending::Itself,
                    },
                    // No request has arrived.
                    _ = closing => return Ending::Itself,
                }
            }
        };
        // The memory of the window is reserved while the connection is served.
        let window = http2.then(|| self.windows.open());
        let list_bytes = http2.then(|| self.builders.header_list_bytes());
        io.reserve_heads(&self.heads, list_bytes);
        let io = TokioIo::new(io);
        let (port, requests, certificate) = (&self.port, window.as_ref(), certificate.as_ref());
        let service =
            service_fn(|request| port.respond(&service, request, &state, requests, certificate));
        let connection = match &window {
            Some(window) => {
                let builder = self.builders.http2(window, StreamExecutor::new(&state));
                Either::Right(builder.serve_connection(io, service))
            }
            None => Either::Left(self.builders.http1().serve_connection(io, service)),
        };
        let connection = pin!(connection);
        let mut connection = CoopPoll::new(connection);
        let reason = Box::pin(closing_or_retired(&mut stop, &state, self.timeouts));
        let reason = tokio::select! {
            biased;
            ended = &mut connection => return log_early_end(ended),
            reason = CoopPoll::new(reason) => reason,
        };
        let reason = match reason {
            Some(reason) => reason,
            None => {
                tracing::debug!("retiring a connection whose headers keep too much memory");
                shut_down(connection.changed().as_mut());
                // Open streams keep their timeouts.
                let timeouts = self.timeouts.with_idle(CLOSING_TIMEOUT);
                let reason = Box::pin(closing(&mut stop, &state, timeouts));
                tokio::select! {
                    biased;
                    ended = &mut connection => return log_early_end(ended),
                    reason = CoopPoll::new(reason) => reason,
                }
            }
        };
        let deadline = match reason {
            CloseReason::Stop(deadline) => Some(deadline),
            // An HTTP/2 connection would wait forever for its first bytes.
            CloseReason::Overdue(reason) if reason == IdleReason::Blocked || !state.is_used() => {
                return Ending::Itself;
            }
            CloseReason::Overdue(_) => None,
        };
        let stopping = deadline.is_some();
        let resets = state.resets();
        // A request that arrives after this point gets no response.
        if stopping && state.stop() {
            tokio::select! {
                biased;
                ended = &mut connection => return log_early_end(ended),
                () = sleep(LAST_REQUEST_TIMEOUT) => {}
            }
        }
        shut_down(connection.changed().as_mut());
        tokio::select! {
            biased;
            ended = &mut connection => return log_early_end(ended),
            () = sleep(LAST_REQUEST_TIMEOUT) => {}
        }
        if !state.is_used() {
            return Ending::Itself;
        }
        let deadline = async {
            match deadline {
                Some(deadline) => deadline,
                None => stopped(&mut stop).await,
            }
        };
        tokio::select! {
            biased;
            ended = connection => match log_early_end(ended) {
                Ending::Itself if stopping && state.resets() > resets => Ending::Unread,
                ending => ending,
            },
            reason = state.overdue(self.timeouts.with_pause(CLOSING_TIMEOUT)) => match reason {
                IdleReason::Blocked if stopping => Ending::Unread,
                _ => Ending::Itself,
            },
            () = deadline.then(sleep_until) => match state.is_closed() {
                true => Ending::Itself,
                false => Ending::Cut,
            },
        }
    }
}

/// Stops accepting requests on the connection.
fn shut_down<S, B>(connection: Pin<&mut Either<Http1<S>, Http2<S>>>)
where
    S: hyper::service::HttpService<Incoming, ResBody = ResponseBody<B>, Error = Infallible>,
    S::Future: Send + 'static,
    B: ResponseContent,
{
    match connection.as_pin_mut() {
        Either::Left(http1) => http1.graceful_shutdown(),
        Either::Right(http2) => http2.graceful_shutdown(),
    }
}

type Http1<S> = http1::Connection<TokioIo<TrackedIo>, S>;
type Http2<S> = http2::Connection<TokioIo<TrackedIo>, S, StreamExecutor>;

fn log_early_end<E: std::fmt::Display>(ended: Result<(), E>) -> Ending {
    if let Err(error) = ended {
        // Clients often close connections early or send invalid HTTP.
        tracing::debug!(%error, "connection ended early");
    }
    Ending::Itself
}
