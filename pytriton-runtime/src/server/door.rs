use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::Router;
use axum::body::{Body, HttpBody};
use axum::http::header::CONNECTION;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, Request, Response, Version};
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use tonic::codegen::Service;

use crate::grpc::{self, GrpcError};
#[cfg(tritonserver)]
use crate::http::Relay;
use crate::http::{self, Content, HttpError, Platform, TextModels, check_head};
use crate::memory_budget::{MemoryBudget, MemoryBudgetError};
use crate::request::ArrivalOrder;
use crate::service::{AppState, Error};

use super::host_check::HostCheck;
use super::request_body::RequestBody;

/// The paths that are served beyond the connection limit, in addition to `/ready` of a model over
/// HTTP.
const PROBES: [&str; 9] = [
    "/v2",
    "/v2/health/live",
    "/v2/health/ready",
    "/metrics",
    "/grpc.health.v1.Health/Check",
    "/inference.GRPCInferenceService/ServerLive",
    "/inference.GRPCInferenceService/ServerReady",
    "/inference.GRPCInferenceService/ServerMetadata",
    "/inference.GRPCInferenceService/ModelReady",
];

/// The memory of a header in addition to its name and value: its entry in the map, and the overhead of
/// allocations.
const HEADER_BYTES: usize = 192;

/// Serves the requests of a port.
#[derive(Debug, Clone)]
pub(super) struct Door {
    pub(super) rooms: Rooms,
    /// Reserves the heads of HTTP/2 requests.
    pub(super) budget: Arc<MemoryBudget>,
    /// If set, this many connections are open already, and only health and metrics requests are
    /// served.
    pub(super) exhausted: Option<u32>,
    pub(super) hosts: HostCheck,
}

/// The body of a response.
#[derive(Debug)]
pub(super) enum Answered {
    Http(Content),
    Routed(Body),
}

/// The services of a port.
#[derive(Debug, Clone)]
pub(super) enum Rooms {
    /// The KServe API over HTTP.
    Http(Arc<AppState>),
    /// Any other routes.
    Routes(Router),
    /// gRPC.
    Grpc(Arc<AppState>, Router),
    /// HTTP, and gRPC for requests with its content type.
    Both(Arc<AppState>, Router),
    /// The routes of a cloud platform.
    Platform(Arc<AppState>, Platform),
    /// Only the OpenAI routes.
    OpenAi(Arc<AppState>, TextModels),
    /// Only the docs page and the routes that it uses.
    Page(Arc<AppState>),
    /// The docs page for the models of a tritonserver.
    #[cfg(tritonserver)]
    Docs(Arc<AppState>, Arc<Relay>),
}

impl Door {
    /// Handles a request.
    ///
    /// Not an `async fn`, because the future is moved before it is first polled. Its size includes
    /// everything it may ever hold, so `parts` and `body` are captured only once.
    pub(super) fn answer(
        self: Arc<Self>,
        mut parts: Parts,
        mut body: RequestBody,
    ) -> impl Future<Output = Response<Answered>> + Send {
        let http1 = parts.version < Version::HTTP_2;
        async move {
            // An HTTP/1 connection has one head, whose buffer is limited. An HTTP/2 connection has many.
            let head = match http1 {
                true => Ok(None),
                false => self.budget.permit(head_bytes(&parts)).map(Some),
            };
            let refused = match &head {
                Ok(_) => self.refused(&parts),
                Err(error) => Some(self.no_room(&parts, *error)),
            };
            let (mut response, close) = match refused {
                Some(refused) => (refused, true),
                None => {
                    let response = match self.rooms.kserve(&parts.headers) {
                        Some(app_state) => http::answer_to(app_state, &mut parts, &mut body)
                            .await
                            .map(Answered::Http),
                        None => {
                            let request = Request::from_parts(parts, body);
                            Box::pin(self.rooms.answer(request)).await
                        }
                    };
                    (response, self.exhausted.is_some())
                }
            };
            if close && http1 {
                let close = HeaderValue::from_static("close");
                response.headers_mut().insert(CONNECTION, close);
            }
            response
        }
    }

    fn no_room(&self, parts: &Parts, error: MemoryBudgetError) -> Response<Answered> {
        match grpc::is_grpc(&parts.headers) {
            true => grpc::refusal(Error::from(error).into()).map(Answered::Routed),
            false => self.refusal(parts, Error::from(error).into()),
        }
    }

    /// Records the position of a request on its connection if the order matters.
    pub(super) fn arrive<B>(&self, request: &mut Request<B>, order: &ArrivalOrder) {
        if self.rooms.keep_order() && grpc::is_inference(request.uri().path()) {
            request.extensions_mut().insert(order.arrive());
        }
    }

    /// Returns the response to a request that is refused early.
    fn refused(&self, parts: &Parts) -> Option<Response<Answered>> {
        let head = check_head(parts.version, &parts.headers);
        if let Err(error) = head.and_then(|host| self.hosts.check(parts, host)) {
            return Some(self.refusal(parts, error));
        }
        let limit = self.exhausted.filter(|_| !self.rooms.is_probe(parts))?;
        Some(match grpc::is_grpc(&parts.headers) {
            true => grpc::refusal(GrpcError::Connections { limit }).map(Answered::Routed),
            false => self.refusal(parts, HttpError::Connections { limit }),
        })
    }

    /// Formats an error over HTTP according to the API that the path belongs to.
    fn refusal(&self, parts: &Parts, error: HttpError) -> Response<Answered> {
        let refusal = match self.rooms.are_openai(parts.uri.path()) {
            true => http::openai_refusal(error),
            false => http::refusal(error),
        };
        refusal.map(Answered::Http)
    }
}

impl Rooms {
    /// Returns the service of a KServe request over HTTP.
    fn kserve(&self, headers: &HeaderMap) -> Option<&AppState> {
        match self {
            Self::Http(app_state) => Some(app_state),
            Self::Both(app_state, _) if !grpc::is_grpc(headers) => Some(app_state),
            _ => None,
        }
    }

    /// Routes a request to its service.
    async fn answer(&self, request: Request<RequestBody>) -> Response<Answered> {
        match self {
            Self::Http(app_state) => http::answer(app_state, request).await.map(Answered::Http),
            Self::Routes(routes) | Self::Grpc(_, routes) | Self::Both(_, routes) => {
                routed(routes, request).await
            }
            Self::Platform(app_state, platform) => {
                let answer = platform.answer(app_state, request).await;
                answer.map(Answered::Http)
            }
            Self::OpenAi(app_state, models) => {
                let answer = http::answer_openai(app_state, models, request).await;
                answer.map(Answered::Http)
            }
            Self::Page(app_state) => {
                let answer = http::answer_page(app_state, request).await;
                answer.map(Answered::Http)
            }
            #[cfg(tritonserver)]
            Self::Docs(app_state, relay) => {
                let answer = http::answer_docs(app_state, relay, request).await;
                answer.map(Answered::Http)
            }
        }
    }

    /// Returns whether gRPC calls of one connection must enter the queues in order of arrival.
    fn keep_order(&self) -> bool {
        match self {
            Self::Grpc(app_state, _) | Self::Both(app_state, _) => app_state.models.has_sequences(),
            _ => false,
        }
    }

    /// Returns whether this is a health or metrics request.
    fn is_probe(&self, parts: &Parts) -> bool {
        match self {
            Self::Platform(_, platform) => platform.is_health(parts.uri.path()),
            _ => is_probe(parts),
        }
    }

    /// Returns whether the path belongs to the OpenAI routes.
    fn are_openai(&self, path: &str) -> bool {
        match self {
            Self::OpenAi(..) => true,
            Self::Http(app_state) | Self::Both(app_state, _) => {
                http::is_openai(path) && http::has_texts(&app_state.models)
            }
            _ => false,
        }
    }
}

async fn routed(routes: &Router, request: Request<RequestBody>) -> Response<Answered> {
    // The router is always ready.
    match routes.clone().call(request).await {
        Ok(response) => response.map(Answered::Routed),
        Err(never) => match never {},
    }
}

/// Returns the memory that the path and the headers of a request take.
fn head_bytes(parts: &Parts) -> usize {
    let headers = parts.headers.iter();
    let headers = headers.map(|(name, value)| name.as_str().len() + value.len() + HEADER_BYTES);
    parts.uri.path().len() + headers.sum::<usize>()
}

fn is_probe(parts: &Parts) -> bool {
    let path = parts.uri.path();
    let of_a_model = path.starts_with("/v2/models/") && path.ends_with("/ready");
    PROBES.contains(&path) || of_a_model && parts.method == Method::GET
}

impl Answered {
    /// Returns a comment that may be sent between parts of the body without changing its meaning.
    pub(super) fn comment(&self) -> Option<Bytes> {
        match self {
            Self::Http(content) => content.comment(),
            Self::Routed(_) => None,
        }
    }
}

impl HttpBody for Answered {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        match &mut *self {
            Self::Http(content) => Pin::new(content)
                .poll_frame(context)
                .map_err(|never| match never {}),
            Self::Routed(body) => Pin::new(body).poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Http(content) => content.is_end_stream(),
            Self::Routed(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Http(content) => content.size_hint(),
            Self::Routed(body) => body.size_hint(),
        }
    }
}
