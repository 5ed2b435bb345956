use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::http::header::{CONTENT_TYPE, HOST};
use axum::http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use bytes::Bytes;
use futures_util::FutureExt;
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
use crate::claims::{Claim, Claims};
use crate::model::ModelSpec;
use crate::openai::{CLAIM, OpenAiError, Piece};
use crate::scheduler::SchedulerError;
use crate::text::for_client;

use super::pieces::piece;

/// More words no refusal of tritonserver's has.
const REFUSAL: usize = 64 << 10;

/// So long after its last answer a request that has not ended is taken for one that tritonserver has forgotten.
const FORGOTTEN: Duration = Duration::from_millis(500);

/// So long a text waits for a connection while others have them all.
const PATIENCE: Duration = Duration::from_secs(10);

/// A tritonserver on this machine that serves models of this process.
///
/// It is asked, so that its scheduler and its statistics count; what is answered comes here by [`Claims`].
pub(crate) struct Upstream {
    /// Where it answers over HTTP.
    address: SocketAddr,
    /// What opens it for inferences.
    access: Arc<Access>,
    loaded: Loaded,
    claims: Arc<Claims>,
    /// A place for each connection: tritonserver keeps a descriptor for each, and has no bound of its own.
    places: Arc<Semaphore>,
}

/// Tells which models tritonserver has loaded, by name and version.
pub(crate) type Loaded = Box<dyn Fn() -> Vec<Arc<ModelSpec>> + Send + Sync>;

/// What becomes of a request that tritonserver is asked: it has ended, or why it was not taken.
type Told = Result<(), OpenAiError>;

/// The answers to one request. Dropping it closes its connection, by which tritonserver hears that nobody waits.
pub(super) struct Replies {
    spec: Arc<ModelSpec>,
    claim: Claim,
    /// Asks tritonserver.
    asking: JoinSet<Told>,
    told: Option<Told>,
    over: bool,
}

impl Upstream {
    /// The one that listens there, of which no more than `connections` are made at a time.
    pub(crate) fn new(
        listens: SocketAddr,
        access: Arc<Access>,
        loaded: Loaded,
        claims: Arc<Claims>,
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
            loaded,
            claims,
            places: Arc::new(Semaphore::new(connections)),
        }
    }

    /// The models that it has loaded now, by name and version.
    pub(super) fn loaded(&self) -> Vec<Arc<ModelSpec>> {
        (self.loaded)()
    }

    /// Asks a model, with an object of JSON and headers that it is to have.
    pub(super) fn ask(
        self: &Arc<Self>,
        spec: &Arc<ModelSpec>,
        headers: Vec<(HeaderName, HeaderValue)>,
        body: &[u8],
    ) -> Replies {
        let claim = self.claims.claim();
        let body = claimed(body, claim.number());
        let (upstream, asked) = (Arc::clone(self), Arc::clone(spec));
        let mut asking = JoinSet::new();
        asking.spawn(async move { upstream.told(&asked, headers, body).await });
        Replies {
            spec: Arc::clone(spec),
            claim,
            asking,
            told: None,
            over: false,
        }
    }

    async fn told(
        &self,
        spec: &ModelSpec,
        headers: Vec<(HeaderName, HeaderValue)>,
        body: Vec<u8>,
    ) -> Told {
        let _place = self.place().await?;
        let mut connection = JoinSet::new();
        let asked = self.send(spec, headers, body, &mut connection).await;
        let response = asked.map_err(|error| gone(&error))?;
        match response.status() {
            StatusCode::OK => {}
            // It has been unloaded meanwhile.
            StatusCode::NOT_FOUND => {
                let model = spec.name.to_string();
                return Err(OpenAiError::UnknownModel { model });
            }
            _ => return Err(refusal(response).await),
        }
        let mut body = response.into_body();
        while let Some(frame) = body.frame().await {
            frame.map_err(|error| gone(&error))?;
        }
        Ok(())
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
        headers: Vec<(HeaderName, HeaderValue)>,
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
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let request = request.body(Full::new(Bytes::from(body)))?;
        Ok(sender.send_request(request).await?)
    }
}

/// The same object with the number of a claim.
fn claimed(body: &[u8], number: &str) -> Vec<u8> {
    let members = body.strip_prefix(b"{").unwrap_or(body);
    let mut claimed = format!("{{\"{CLAIM}\":\"{number}\"").into_bytes();
    if !members.starts_with(b"}") {
        claimed.push(b',');
    }
    claimed.extend_from_slice(members);
    claimed
}

/// Why tritonserver has not taken a request, or has not executed it.
async fn refusal(response: Response<Incoming>) -> OpenAiError {
    let status = match is_stream(&response) {
        // 2.51 has one for all failures. Whatever the model says comes by the claim.
        true => StatusCode::SERVICE_UNAVAILABLE,
        false => response.status(),
    };
    let body = Limited::new(response.into_body(), REFUSAL);
    let body = body.collect().await.map(|body| body.to_bytes());
    let said = body.unwrap_or_default();
    let said = said.strip_prefix(b"data: ").unwrap_or(&said);
    let mut said = serde_json::from_slice(said).unwrap_or(Value::Null);
    let message = match said.get_mut("error").map(Value::take) {
        Some(Value::String(error)) => error,
        _ => format!("tritonserver answered with status {status}"),
    };
    let status = status.as_u16();
    OpenAiError::Failed { status, message }
}

/// Whether a response is an answer of a model.
fn is_stream(response: &Response<Incoming>) -> bool {
    let kind = response.headers().get(CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}

fn gone(error: &dyn fmt::Display) -> OpenAiError {
    OpenAiError::Failed {
        status: 503,
        message: for_client(&format_args!("tritonserver does not answer: {error}")),
    }
}

impl Replies {
    /// The next piece; `None` behind the last one, which an error is.
    pub(super) async fn next(&mut self) -> Option<Result<Piece, OpenAiError>> {
        if self.over {
            return None;
        }
        let next = self.answer().await;
        self.over = !matches!(next, Some(Ok(_)));
        if next.is_none() {
            self.end().await;
        }
        next
    }

    async fn answer(&mut self) -> Option<Result<Piece, OpenAiError>> {
        let answer = match &self.told {
            None => tokio::select! {
                biased;
                answer = self.claim.next() => answer,
                told = self.asking.join_next() => {
                    let told = told.and_then(Result::ok);
                    self.told = Some(told.unwrap_or_else(|| Err(gone(&"nobody asks it"))));
                    // What was answered before is there.
                    self.claim.next().now_or_never().flatten()
                }
            },
            Some(_) => self.claim.next().now_or_never().flatten(),
        };
        match answer {
            Some(Ok(response)) => Some(piece(&self.spec, &response)),
            // Not by whoever waits here.
            Some(Err(SchedulerError::Cancelled)) => Some(Err(gone(&"the request was given up"))),
            Some(Err(error)) => Some(Err(error.into())),
            None if self.claim.is_answered() => None,
            None => Some(Err(self.why().await)),
        }
    }

    /// Why there is no answer.
    async fn why(&mut self) -> OpenAiError {
        let told = match self.told.take() {
            None => self.asking.join_next().await.and_then(Result::ok),
            told => told,
        };
        match told {
            Some(Err(error)) => error,
            _ => gone(&"it has not passed the request on"),
        }
    }

    /// Lets tritonserver end the request, which it may forget.
    async fn end(&mut self) {
        // Either way the connection is closed.
        let _ = timeout(FORGOTTEN, self.asking.join_next()).await;
    }
}

impl fmt::Debug for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upstream")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Replies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replies")
            .field("claim", &self.claim)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use crate::call::ModelError;
    use crate::request::{ParameterValue, Request};
    use crate::scheduler::ReplySink;
    use crate::tensor::{DataType, Element, Tensor};
    use crate::testing::{IDENTITY, infer_request};

    use super::*;

    const ENDED: &str =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 0\r\n\r\n";

    /// A server that says this to all who ask, and then nothing.
    async fn upstream(said: &'static str, connections: usize) -> Arc<Upstream> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                tokio::spawn(async move {
                    let mut request = [0; 1000];
                    let _ = stream.read(&mut request).await;
                    let _ = stream.write_all(said.as_bytes()).await;
                    std::future::pending::<()>().await;
                });
            }
        });
        let loaded = Box::new(Vec::new);
        let upstream = Upstream::new(address, Arc::default(), loaded, Arc::default(), connections);
        Arc::new(upstream)
    }

    fn ask(upstream: &Arc<Upstream>) -> Replies {
        upstream.ask(&Arc::new(IDENTITY.spec().unwrap()), Vec::new(), b"{}")
    }

    /// The other end, as the worker finds it.
    fn redeem(upstream: &Upstream, replies: &Replies) -> ReplySink {
        let mut request = infer_request(1, 1.0);
        let number = ParameterValue::String(replies.claim.number().to_owned());
        request.parameters.insert(CLAIM, number);
        let mut request = Request::check(&replies.spec, request).unwrap();
        upstream.claims.redeem(&mut request).unwrap()
    }

    fn text(text: &str) -> crate::request::Response {
        let data = String::encode(vec![text.to_owned()]).unwrap();
        let tensor = Tensor::new(DataType::Bytes, vec![1], data).unwrap();
        crate::request::Response::new(vec![(0, tensor)].into())
    }

    #[tokio::test]
    async fn every_piece_is_heard_whatever_tritonserver_says_meanwhile() {
        for said in [ENDED, "", "HTTP/1.1 500 x\r\nContent-Length: 0\r\n\r\n"] {
            let upstream = upstream(said, 1).await;
            let mut replies = ask(&upstream);
            let sink = redeem(&upstream, &replies);
            sink.part(Ok(text("a")));
            sink.part(Ok(text("b")));
            sink.end();
            while !said.is_empty() && !replies.asking.is_empty() && replies.told.is_none() {
                replies.told = replies.asking.join_next().await.and_then(Result::ok);
            }
            assert_eq!(replies.next().await, Some(Ok(Piece::from("a"))), "{said}");
            assert_eq!(replies.next().await, Some(Ok(Piece::from("b"))), "{said}");
            assert_eq!(replies.next().await, None, "{said}");
        }
    }

    #[tokio::test]
    async fn a_failure_is_that_of_whoever_has_the_request() {
        let failed = |status, message: &str| {
            let message = message.to_owned();
            Some(Err(OpenAiError::Failed { status, message }))
        };
        for (said, expected) in [
            (
                "HTTP/1.1 400 x\r\nContent-Type: text/event-stream\r\nContent-Length: 43\r\n\r\ndata: {\"error\":\"Request timeout expired\"}\n\n",
                failed(503, "Request timeout expired"),
            ),
            (
                "HTTP/1.1 404 x\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n{\"error\":\"x\"}",
                Some(Err(OpenAiError::UnknownModel {
                    model: "Identity".to_owned(),
                })),
            ),
            (
                ENDED,
                failed(
                    503,
                    "tritonserver does not answer: it has not passed the request on",
                ),
            ),
        ] {
            let upstream = upstream(said, 1).await;
            let mut replies = ask(&upstream);
            assert_eq!(replies.next().await, expected, "{said}");
            assert_eq!(replies.next().await, None, "{said}");
        }
        let upstream = upstream("", 1).await;
        for (end, expected) in [
            (
                SchedulerError::Cancelled,
                failed(
                    503,
                    "tritonserver does not answer: the request was given up",
                ),
            ),
            (
                SchedulerError::Model(ModelError::Function {
                    model: "m".into(),
                    message: "x".to_owned(),
                }),
                failed(500, "model 'm' failed: x"),
            ),
        ] {
            let mut replies = ask(&upstream);
            redeem(&upstream, &replies).finish(Err(end));
            assert_eq!(replies.next().await, expected);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_connections_are_made_than_there_are_places_for() {
        let upstream = upstream("", 1).await;
        let first = ask(&upstream);
        tokio::task::yield_now().await;
        let error = ask(&upstream).next().await.unwrap().unwrap_err();
        assert_eq!((error.status(), error.passes()), (503, true));
        drop(first);
        let mut third = ask(&upstream);
        redeem(&upstream, &third).end();
        assert_eq!(third.next().await, None);
    }

    #[test]
    fn a_claim_is_one_of_the_members() {
        let table = [
            ("{}", "{\"pytriton.claim\":\"7\"}"),
            ("{\"a\":1}", "{\"pytriton.claim\":\"7\",\"a\":1}"),
        ];
        for (body, expected) in table {
            assert_eq!(claimed(body.as_bytes(), "7"), expected.as_bytes());
        }
    }
}
