use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::http::header::CONNECTION;
use axum::http::{HeaderValue, Request, Response, Version};
use futures_util::FutureExt;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};

use crate::limits::Limits;
use crate::tls::Certificates;

use super::attentive::Attentive;
use super::door::{Door, Rooms};
use super::handshake::shake_hands;
use super::offered::Offered;
use super::received::Received;
use super::stream::Stream;
use super::traffic::{Neglect, Tolerance, Traffic};
use super::wire::Wire;

/// How often an idle HTTP/2 connection is asked whether it is still there, and how long it has to answer.
const HTTP2_PING: Duration = Duration::from_secs(20);

/// The windows of a stream and of its HTTP/2 connection: a tensor of some MiB needs few round trips.
const HTTP2_WINDOWS: (u32, u32) = (4 << 20, 8 << 20);

/// So many times as large as it may be, a head of HTTP/2 is still read: whoever sent it hears from the door why it is
/// refused, and over gRPC with which status.
const HTTP2_HEADS: usize = 4;

/// So many bytes are left to the system of what the client has no room for. It asks for more when half have gone: of the four MiB
/// that it takes otherwise a third, which a client that reads steadily may not have read in the time that it has.
#[cfg(target_os = "linux")]
const UNSENT: u32 = 512 << 10;

/// How long a connection that has no request may still bring one when the server stops.
const LAST_CALL: Duration = Duration::from_millis(100);

/// The same on a connection that gets no further requests, because the server stops or because it was idle.
const LAST_WORDS: Tolerance = Tolerance {
    idle: Duration::from_secs(5),
    blocked: Duration::from_secs(5),
};

/// Which protocols a port speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protocol {
    /// HTTP/2 alone.
    Http2,
    /// HTTP/1.1, and HTTP/2 from a client that begins with it.
    Both,
}

impl Protocol {
    /// The same for clients that ask in their TLS handshake.
    pub(super) fn names(self) -> &'static [&'static [u8]] {
        match self {
            Self::Http2 => &[b"h2"],
            Self::Both => &[b"h2", b"http/1.1"],
        }
    }
}

/// How a connection has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// By itself, or for lack of anything to do.
    Itself,
    /// The server stopped, and its client did not take an answer that was there.
    Unread,
    /// The time to stop was over.
    Cut,
}

/// How connections of one port are served.
#[derive(Debug, Clone)]
pub(super) struct Connections {
    builder: Builder<TokioExecutor>,
    door: Arc<Door>,
    certificates: Option<Certificates>,
    limits: Limits,
    tolerance: Tolerance,
}

impl Connections {
    pub(super) fn new(protocol: Protocol, limits: &Limits, rooms: Rooms) -> Self {
        let mut builder = Builder::new(TokioExecutor::new());
        let header_bytes = HTTP2_HEADS.saturating_mul(limits.max_header_bytes);
        let header_bytes = u32::try_from(header_bytes).unwrap_or(u32::MAX);
        builder
            .http1()
            // A connection without a request is idle, however much of a head has come.
            .header_read_timeout(None)
            .auto_date_header(false);
        // With the number that it has anyway it needs no memory for them.
        if limits.max_headers != Limits::default().max_headers {
            builder.http1().max_headers(limits.max_headers);
        }
        builder
            .http2()
            .timer(TokioTimer::new())
            .auto_date_header(false)
            .max_concurrent_streams(limits.max_concurrent_streams)
            .max_header_list_size(header_bytes)
            .keep_alive_interval(HTTP2_PING)
            .keep_alive_timeout(HTTP2_PING)
            .initial_stream_window_size(HTTP2_WINDOWS.0)
            .initial_connection_window_size(HTTP2_WINDOWS.1);
        let tolerance = Tolerance {
            idle: limits.header_timeout,
            blocked: limits.body_timeout,
        };
        let builder = match protocol {
            Protocol::Http2 => builder.http2_only(),
            Protocol::Both => builder,
        };
        Self {
            builder,
            door: Arc::new(Door {
                rooms,
                exhausted: None,
            }),
            certificates: None,
            limits: *limits,
            tolerance,
        }
    }

    /// The same over TLS, where there is a certificate.
    pub(super) fn secured(mut self, certificates: Option<Certificates>) -> Self {
        self.certificates = certificates;
        self
    }

    /// The same for those who come when there are so many already.
    pub(super) fn exhausted(mut self, connections: u32) -> Self {
        self.door = Arc::new(Door {
            rooms: self.door.rooms.clone(),
            exhausted: Some(connections),
        });
        self
    }

    /// Serves a connection to its end. When the server stops, requests that have come are answered, until the
    /// deadline at the latest.
    pub(super) async fn serve(
        self,
        stream: TcpStream,
        traffic: Traffic,
        mut stop: watch::Receiver<Option<Instant>>,
    ) -> Ending {
        set_up(&stream, self.limits.body_timeout);
        let stream = match &self.certificates {
            None => Stream::Plain(stream),
            // So seldom done, it shall make no connection's future larger.
            Some(certificates) => {
                match Box::pin(shake_hands(certificates, stream, &mut stop)).await {
                    Some(stream) => stream,
                    None => return Ending::Itself,
                }
            }
        };
        let service =
            service_fn(|request| answer(Arc::clone(&self.door), request, traffic.clone()));
        let wire = TokioIo::new(Wire::new(stream, &traffic));
        let connection = self.builder.serve_connection(wire, service);
        let connection = pin!(connection);
        let mut connection = Attentive::new(connection);
        let turned = Box::pin(turned(&mut stop, &traffic, self.tolerance));
        let turn = tokio::select! {
            biased;
            ended = &mut connection => return ended_early(ended),
            turn = Attentive::new(turned) => turn,
        };
        let deadline = match turn {
            Turn::Stop(deadline) => Some(deadline),
            Turn::Neglect(neglect) => {
                // HTTP/2 itself would wait for ever for the first bytes of a connection.
                if neglect == Neglect::Blocked || !traffic.used() {
                    return Ending::Itself;
                }
                None
            }
        };
        let stopping = deadline.is_some();
        // What comes when a connection has been closed is answered by nobody.
        if stopping && traffic.end() {
            tokio::select! {
                biased;
                ended = &mut connection => return ended_early(ended),
                () = sleep(LAST_CALL) => {}
            }
        }
        connection.changed().as_mut().graceful_shutdown();
        tokio::select! {
            biased;
            ended = &mut connection => return ended_early(ended),
            () = sleep(LAST_CALL) => {}
        }
        if !traffic.used() {
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
            ended = connection => ended_early(ended),
            neglect = traffic.neglected(LAST_WORDS) => match neglect {
                Neglect::Blocked if stopping => Ending::Unread,
                _ => Ending::Itself,
            },
            () = deadline.then(sleep_until) => match traffic.closed() {
                true => Ending::Itself,
                false => Ending::Cut,
            },
        }
    }
}

/// Why a connection gets no further requests.
enum Turn {
    /// The server stops, and waits until then.
    Stop(Instant),
    Neglect(Neglect),
}

async fn turned(
    stop: &mut watch::Receiver<Option<Instant>>,
    traffic: &Traffic,
    tolerance: Tolerance,
) -> Turn {
    tokio::select! {
        biased;
        deadline = stopped(stop) => Turn::Stop(deadline),
        neglect = traffic.neglected(tolerance) => Turn::Neglect(neglect),
    }
}

fn answer(
    door: Arc<Door>,
    request: Request<Incoming>,
    traffic: Traffic,
) -> impl Future<Output = Result<Response<Offered>, Infallible>> {
    // The end of what the client sends may be read before the future is polled.
    let passage = traffic.enter(request.version());
    let http2 = request.version() == Version::HTTP_2;
    let (parts, body) = request.into_parts();
    let answer = door.answer(parts, Received::new(body, traffic));
    answer.map(move |mut response| {
        if passage.answer() {
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(CONNECTION, close);
        }
        Ok(response.map(|body| Offered::new(body, passage, http2)))
    })
}

/// Waits until the server is told to stop, and says until when connections may finish.
pub(super) async fn stopped(stop: &mut watch::Receiver<Option<Instant>>) -> Instant {
    match stop.wait_for(Option::is_some).await {
        Ok(deadline) => deadline.unwrap_or_else(Instant::now),
        // Nobody is left who could tell: the server is gone.
        Err(_) => Instant::now(),
    }
}

/// The options only fail on a connection that is gone already.
fn set_up(stream: &TcpStream, stalled: Duration) {
    // Small answers must not wait for more.
    let _ = stream.set_nodelay(true);
    #[cfg(target_os = "linux")]
    let _ = socket2::SockRef::from(stream).set_tcp_notsent_lowat(UNSENT);
    // A client that takes no bytes of its answer must not hold it for ever.
    #[cfg(target_os = "linux")]
    {
        let milliseconds = u32::try_from(stalled.as_millis()).unwrap_or(u32::MAX);
        let _ = rustix::net::sockopt::set_tcp_user_timeout(stream, milliseconds);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = stalled;
}

fn ended_early<E: std::fmt::Display>(ended: Result<(), E>) -> Ending {
    if let Err(error) = ended {
        // A client that breaks its connection off, or sends what is no HTTP, is everyday life.
        tracing::debug!(%error, "connection ended early");
    }
    Ending::Itself
}
