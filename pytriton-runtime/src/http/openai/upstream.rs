use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::http::header::{CONTENT_TYPE, HOST};
use axum::http::{Method, Request, Response};
use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::access::{Access, Group, Protocol};
use crate::heavy::by_weight;
use crate::model::ModelSpec;
use crate::openai::{Events, OpenAiError, Piece, Reply, reply};
use crate::registry::Registry;
use crate::text::for_client;

use super::models::latest;

/// More words no refusal of tritonserver's has.
const REFUSAL: usize = 64 << 10;

/// So long after its last answer a stream that has not ended is taken for one that will not.
const FORGOTTEN: Duration = Duration::from_millis(500);

/// And so long after any other answer.
const STALLED: Duration = Duration::from_secs(60);

/// So long a text waits for a connection while others have them all.
const PATIENCE: Duration = Duration::from_secs(10);

/// A tritonserver on this machine that serves models of this process.
#[derive(Debug)]
pub(crate) struct Upstream {
    /// Where it answers over HTTP.
    address: SocketAddr,
    /// What opens it for inferences.
    access: Arc<Access>,
    specs: BTreeMap<Arc<str>, Arc<ModelSpec>>,
    /// The largest answer.
    limit: usize,
    /// A place for each connection: tritonserver keeps a descriptor for each, and has no bound of its own.
    places: Arc<Semaphore>,
}

/// The answers to one request. Dropping it closes its connection, by which tritonserver hears that nobody waits.
pub(super) struct Replies(State);

enum State {
    /// tritonserver begins its answer when the model does.
    Asked(BoxFuture<'static, Result<Open, OpenAiError>>),
    Open(Open),
    Over,
}

struct Open {
    spec: Arc<ModelSpec>,
    body: Incoming,
    events: Events,
    limit: usize,
    _connection: JoinSet<()>,
    _place: OwnedSemaphorePermit,
}

impl Upstream {
    /// The one that listens there; no answer of it is larger than `limit`, and no more than `connections` are made at a time.
    pub(crate) fn new(
        listens: SocketAddr,
        access: Arc<Access>,
        registry: &Registry,
        limit: usize,
        connections: usize,
    ) -> Self {
        let ip = match listens.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
            ip => ip,
        };
        Self {
            address: SocketAddr::new(ip, listens.port()),
            access,
            specs: latest(registry.iter().map(Arc::clone)),
            limit,
            places: Arc::new(Semaphore::new(connections)),
        }
    }

    /// The models.
    pub(super) fn specs(&self) -> BTreeMap<Arc<str>, Arc<ModelSpec>> {
        self.specs.clone()
    }

    /// Asks a model.
    pub(super) fn ask(self: &Arc<Self>, spec: &Arc<ModelSpec>, body: Vec<u8>) -> Replies {
        let (upstream, spec) = (Arc::clone(self), Arc::clone(spec));
        let open = async move { upstream.open(spec, body).await };
        Replies(State::Asked(open.boxed()))
    }

    async fn open(&self, spec: Arc<ModelSpec>, body: Vec<u8>) -> Result<Open, OpenAiError> {
        let place = self.place().await?;
        let mut connection = JoinSet::new();
        let asked = self.send(&spec, body, &mut connection).await;
        let response = asked.map_err(|error| gone(&error))?;
        if !is_stream(&response) {
            return Err(refusal(response).await);
        }
        Ok(Open {
            spec,
            body: response.into_body(),
            events: Events::default(),
            limit: self.limit,
            _connection: connection,
            _place: place,
        })
    }

    async fn place(&self) -> Result<OwnedSemaphorePermit, OpenAiError> {
        let place = Arc::clone(&self.places).acquire_owned();
        // Nobody closes it.
        let place = timeout(PATIENCE, place).await.ok().and_then(Result::ok);
        place.ok_or_else(|| OpenAiError::Failed {
            status: 503,
            message: "too many texts are being made at a time".to_owned(),
        })
    }

    async fn send(
        &self,
        spec: &ModelSpec,
        body: Vec<u8>,
        connection: &mut JoinSet<()>,
    ) -> Result<Response<Incoming>, Box<dyn std::error::Error + Send + Sync>> {
        let stream = TcpStream::connect(self.address).await?;
        stream.set_nodelay(true)?;
        let (mut sender, driver) = http1::handshake(TokioIo::new(stream)).await?;
        connection.spawn(async move {
            // Whoever reads the body hears of it.
            let _ = driver.await;
        });
        let mut request = Request::builder()
            .method(Method::POST)
            .uri(format!("/v2/models/{}/generate_stream", spec.name))
            .header(HOST, self.address.to_string());
        if let Some((header, secret)) = self.access.key(Protocol::Http, Group::Inference) {
            request = request.header(header, secret.expose());
        }
        let request = request.body(Full::new(Bytes::from(body)))?;
        Ok(sender.send_request(request).await?)
    }
}

/// Whether a response has the answers of a model.
fn is_stream(response: &Response<Incoming>) -> bool {
    let kind = response.headers().get(CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}

/// Why tritonserver has not taken a request.
async fn refusal(response: Response<Incoming>) -> OpenAiError {
    let status = response.status().as_u16();
    let body = Limited::new(response.into_body(), REFUSAL);
    let body = body.collect().await.map(|body| body.to_bytes());
    let said = body.unwrap_or_default();
    let mut said = serde_json::from_slice(&said).unwrap_or(Value::Null);
    let message = match said.get_mut("error").map(Value::take) {
        Some(Value::String(error)) => error,
        _ => format!("tritonserver answered with status {status}"),
    };
    OpenAiError::Failed { status, message }
}

fn gone(error: &dyn fmt::Display) -> OpenAiError {
    OpenAiError::Failed {
        status: 503,
        message: for_client(&format_args!("tritonserver does not answer: {error}")),
    }
}

/// Whoever asks again would wait as long.
fn stalled() -> OpenAiError {
    OpenAiError::Failed {
        status: 504,
        message: format!(
            "tritonserver has sent nothing more of its answer for {} seconds",
            STALLED.as_secs()
        ),
    }
}

/// And get as much.
fn too_large(limit: usize) -> OpenAiError {
    OpenAiError::Failed {
        status: 500,
        message: format!("tritonserver's answer is larger than {limit} bytes"),
    }
}

impl Replies {
    /// The next piece; `None` behind the last one, which an error is.
    pub(super) async fn next(&mut self) -> Option<Result<Piece, OpenAiError>> {
        let next = loop {
            match &mut self.0 {
                State::Asked(asked) => match asked.await {
                    Ok(open) => self.0 = State::Open(open),
                    Err(error) => break Some(Err(error)),
                },
                State::Open(open) => match open.next().await {
                    Ok(Reply::Piece(piece)) => break Some(Ok(piece)),
                    Ok(Reply::Last(piece)) => {
                        open.end().await;
                        self.0 = State::Over;
                        return Some(Ok(piece));
                    }
                    Err(error) => break Some(Err(error)),
                },
                State::Over => break None,
            }
        };
        if !matches!(next, Some(Ok(_))) {
            self.0 = State::Over;
        }
        next
    }
}

impl Open {
    async fn next(&mut self) -> Result<Reply, OpenAiError> {
        loop {
            if let Some(event) = self.events.next() {
                let spec = Arc::clone(&self.spec);
                return by_weight(event.len(), move || reply(&event, &spec)).await;
            }
            let Ok(frame) = timeout(STALLED, self.body.frame()).await else {
                return Err(stalled());
            };
            match frame {
                // A stream that lacks its last answers ends as any other.
                None => return Err(gone(&"its answer breaks off")),
                Some(Err(error)) => return Err(gone(&error)),
                Some(Ok(frame)) => {
                    let data = frame.into_data().unwrap_or_default();
                    if self.events.unfinished() + data.len() > self.limit {
                        return Err(too_large(self.limit));
                    }
                    self.events.feed(&data);
                }
            }
        }
    }

    /// Lets tritonserver end the stream, which it may forget.
    async fn end(&mut self) {
        let rest = async { while self.body.frame().await.is_some() {} };
        // Either way the connection is closed.
        let _ = timeout(FORGOTTEN, rest).await;
    }
}

impl fmt::Debug for Replies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replies").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use crate::testing::IDENTITY;

    use super::*;

    /// A server that says this to all who ask, and then nothing.
    async fn upstream(said: Vec<u8>, limit: usize, connections: usize) -> Arc<Upstream> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let said = said.clone();
                tokio::spawn(async move {
                    let mut request = [0; 1000];
                    let _ = stream.read(&mut request).await;
                    let _ = stream.write_all(&said).await;
                    std::future::pending::<()>().await;
                });
            }
        });
        let registry = Registry::default();
        Arc::new(Upstream::new(
            address,
            Arc::default(),
            &registry,
            limit,
            connections,
        ))
    }

    fn spec() -> Arc<ModelSpec> {
        let mut spec = IDENTITY.spec().unwrap();
        spec.decoupled = true;
        Arc::new(spec)
    }

    const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";

    async fn failure(replies: &mut Replies) -> (u16, bool) {
        let error = replies.next().await.unwrap().unwrap_err();
        (error.status(), error.passes())
    }

    #[tokio::test(start_paused = true)]
    async fn what_would_fail_again_is_not_asked_again() {
        let silent = upstream(HEAD.into(), 1000, 1).await;
        let mut replies = silent.ask(&spec(), Vec::new());
        assert_eq!(failure(&mut replies).await, (504, false));
        let large = format!("{HEAD}data: {}", "x".repeat(2000));
        let large = upstream(large.into(), 1000, 1).await;
        let mut replies = large.ask(&spec(), Vec::new());
        assert_eq!(failure(&mut replies).await, (500, false));
        assert!(replies.next().await.is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_connections_are_made_than_there_are_places_for() {
        let said = format!("{HEAD}data: {{\"OUTPUT_1\":\"a\"}}\n\n");
        let upstream = upstream(said.into(), 1000, 1).await;
        let mut first = upstream.ask(&spec(), Vec::new());
        assert_eq!(first.next().await, Some(Ok(Piece::from("a"))));
        let mut second = upstream.ask(&spec(), Vec::new());
        assert_eq!(failure(&mut second).await, (503, true));
        drop(first);
        let mut third = upstream.ask(&spec(), Vec::new());
        assert_eq!(third.next().await, Some(Ok(Piece::from("a"))));
    }
}
