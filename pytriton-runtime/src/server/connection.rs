use std::convert::Infallible;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use axum::http::header::CONNECTION;
use axum::http::{HeaderValue, Request, Response, Version};
use futures_util::FutureExt;
use futures_util::future::Either;
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::{HttpService, service_fn};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};

use crate::limits::Limits;
use crate::min_rate::MinRate;
use crate::request::ArrivalOrder;
use crate::tls::Certificates;

use super::connection_state::{ConnectionState, IdleReason, Timeouts};
use super::coop_poll::CoopPoll;
use super::door::{Door, Rooms};
use super::handshake::shake_hands;
use super::host_check::HostCheck;
use super::http_builders::{HttpBuilders, StreamExecutor};
use super::protocol::Protocol;
use super::receive_windows::ReceiveWindows;
use super::request_body::RequestBody;
use super::response_body::ResponseBody;
use super::socket_options::set_socket_options;
use super::stream::Stream;
use super::tracked_io::TrackedIo;

/// How long a connection without a request may still send one when the server stops.
const LAST_CALL: Duration = Duration::from_millis(100);

/// How long a connection that accepts no further requests may stay in a state. It accepts none
/// because the server stops or the connection was idle.
const CLOSING_PAUSE: Duration = Duration::from_secs(5);

/// How a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// It was closed by the client or because it was idle.
    Itself,
    /// The server stopped, and the client did not read a response that was ready.
    Unread,
    /// It was cut when the time to stop was over.
    Cut,
}

/// Serves the connections of one port.
#[derive(Debug, Clone)]
pub(super) struct Connections {
    builders: Arc<HttpBuilders>,
    windows: Arc<ReceiveWindows>,
    protocol: Protocol,
    door: Arc<Door>,
    certificates: Option<Certificates>,
    limits: Limits,
    timeouts: Timeouts,
}

impl Connections {
    pub(super) fn new(
        protocol: Protocol,
        limits: &Limits,
        windows: &Arc<ReceiveWindows>,
        rooms: Rooms,
    ) -> Self {
        Self {
            builders: Arc::new(HttpBuilders::new(limits)),
            windows: Arc::clone(windows),
            protocol,
            door: Arc::new(Door {
                rooms,
                budget: Arc::clone(windows.budget()),
                exhausted: None,
                hosts: HostCheck::Any,
            }),
            certificates: None,
            limits: *limits,
            timeouts: Timeouts {
                idle: limits.header_timeout,
                response: MinRate::new(limits),
            },
        }
    }

    /// Serves TLS if there is a certificate.
    pub(super) fn secured(mut self, certificates: Option<Certificates>) -> Self {
        self.certificates = certificates;
        self
    }

    /// Checks the host names of requests.
    pub(super) fn checking(mut self, hosts: HostCheck) -> Self {
        self.door = Arc::new(Door {
            hosts,
            ..(*self.door).clone()
        });
        self
    }

    /// Serves only health and metrics requests, because `connections` connections are open already.
    pub(super) fn exhausted(mut self, connections: u32) -> Self {
        self.door = Arc::new(Door {
            exhausted: Some(connections),
            ..(*self.door).clone()
        });
        self
    }

    /// Serves a connection to its end. When the server stops, requests that have arrived are
    /// completed, until the deadline at the latest.
    pub(super) async fn serve(
        self,
        stream: TcpStream,
        state: ConnectionState,
        mut stop: watch::Receiver<Option<Instant>>,
    ) -> Ending {
        set_socket_options(&stream, self.limits.body_timeout);
        let stream = match &self.certificates {
            None => Stream::Plain(stream),
            // TLS is rare and must not enlarge the future of every connection.
            Some(certificates) => {
                match Box::pin(shake_hands(certificates, stream, &mut stop)).await {
                    Some(stream) => stream,
                    None => return Ending::Itself,
                }
            }
        };
        let mut io = TrackedIo::new(stream, &state);
        let http2 = match self.protocol {
            Protocol::Http2 => true,
            Protocol::Both => {
                let turned = Box::pin(turned(&mut stop, &state, self.timeouts));
                tokio::select! {
                    biased;
                    http2 = io.is_http2() => match http2 {
                        Ok(http2) => http2,
                        Err(_) => return Ending::Itself,
                    },
                    // No request has arrived.
                    _ = turned => return Ending::Itself,
                }
            }
        };
        let order = ArrivalOrder::default();
        let service = service_fn(|mut request| {
            // `arrive` runs in order of arrival. The future of `answer` may run in any order.
            self.door.arrive(&mut request, &order);
            answer(Arc::clone(&self.door), request, &state)
        });
        let io = TokioIo::new(io);
        // The memory of the window is reserved while the connection is served.
        let window = http2.then(|| self.windows.open());
        let connection = match &window {
            Some(window) => {
                let builder = self.builders.http2(window, StreamExecutor::new(&state));
                Either::Right(builder.serve_connection(io, service))
            }
            None => Either::Left(self.builders.http1().serve_connection(io, service)),
        };
        let connection = pin!(connection);
        let mut connection = CoopPoll::new(connection);
        let turned = Box::pin(turned(&mut stop, &state, self.timeouts));
        let turn = tokio::select! {
            biased;
            ended = &mut connection => return ended_early(ended),
            turn = CoopPoll::new(turned) => turn,
        };
        let deadline = match turn {
            Turn::Stop(deadline) => Some(deadline),
            // An HTTP/2 connection would wait forever for its first bytes.
            Turn::Overdue(reason) if reason == IdleReason::Blocked || !state.is_used() => {
                return Ending::Itself;
            }
            Turn::Overdue(_) => None,
        };
        let stopping = deadline.is_some();
        let resets = state.resets();
        // A request that arrives after this point gets no response.
        if stopping && state.stop() {
            tokio::select! {
                biased;
                ended = &mut connection => return ended_early(ended),
                () = sleep(LAST_CALL) => {}
            }
        }
        shut_down(connection.changed().as_mut());
        tokio::select! {
            biased;
            ended = &mut connection => return ended_early(ended),
            () = sleep(LAST_CALL) => {}
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
            ended = connection => match ended_early(ended) {
                Ending::Itself if stopping && state.resets() > resets => Ending::Unread,
                ending => ending,
            },
            reason = state.overdue(self.timeouts.with_pause(CLOSING_PAUSE)) => match reason {
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
fn shut_down<S>(connection: Pin<&mut Either<Http1<S>, Http2<S>>>)
where
    S: HttpService<Incoming, ResBody = ResponseBody, Error = Infallible>,
    S::Future: Send + 'static,
{
    match connection.as_pin_mut() {
        Either::Left(http1) => http1.graceful_shutdown(),
        Either::Right(http2) => http2.graceful_shutdown(),
    }
}

type Http1<S> = http1::Connection<TokioIo<TrackedIo>, S>;
type Http2<S> = http2::Connection<TokioIo<TrackedIo>, S, StreamExecutor>;

/// Why a connection accepts no further requests.
enum Turn {
    /// The server stops. Connections may finish until then.
    Stop(Instant),
    Overdue(IdleReason),
}

async fn turned(
    stop: &mut watch::Receiver<Option<Instant>>,
    state: &ConnectionState,
    timeouts: Timeouts,
) -> Turn {
    tokio::select! {
        biased;
        deadline = stopped(stop) => Turn::Stop(deadline),
        reason = state.overdue(timeouts) => Turn::Overdue(reason),
    }
}

fn answer(
    door: Arc<Door>,
    request: Request<Incoming>,
    state: &ConnectionState,
) -> impl Future<Output = Result<Response<ResponseBody>, Infallible>> + use<> {
    // The end of the request body may be read before the future is polled.
    let stream = state.open(request.version());
    let http2 = request.version() == Version::HTTP_2;
    let (parts, body) = request.into_parts();
    let answer = door.answer(parts, RequestBody::new(body, stream.handle().clone()));
    answer.map(move |mut response| {
        if stream.respond() {
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(CONNECTION, close);
        }
        Ok(response.map(|body| ResponseBody::new(body, stream, http2)))
    })
}

/// Waits until the server stops. Returns the time by which connections must finish.
pub(super) async fn stopped(stop: &mut watch::Receiver<Option<Instant>>) -> Instant {
    match stop.wait_for(Option::is_some).await {
        Ok(deadline) => deadline.unwrap_or_else(Instant::now),
        // The sender is gone, and so is the server.
        Err(_) => Instant::now(),
    }
}

fn ended_early<E: std::fmt::Display>(ended: Result<(), E>) -> Ending {
    if let Err(error) = ended {
        // Clients often close connections early or send invalid HTTP.
        tracing::debug!(%error, "connection ended early");
    }
    Ending::Itself
}
