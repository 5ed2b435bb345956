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
use crate::reception::Reception;
use crate::request::ArrivalOrder;

use super::host_check::HostCheck;
use super::request_body::RequestBody;

/// What may be asked on a connection beyond the limit, beside a model's `/ready` over HTTP.
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

/// What answers the requests that come to a port.
#[derive(Debug, Clone)]
pub(super) struct Door {
    pub(super) rooms: Rooms,
    /// Nobody but those who ask how the server is are answered, because there are so many connections already.
    pub(super) exhausted: Option<u32>,
    pub(super) hosts: HostCheck,
}

/// The body of an answer.
#[derive(Debug)]
pub(super) enum Answered {
    Http(Content),
    Routed(Body),
}

/// What is behind a door.
#[derive(Debug, Clone)]
pub(super) enum Rooms {
    /// The KServe API over HTTP.
    Http(Arc<Reception>),
    /// Routes of whatever kind.
    Routes(Router),
    /// gRPC.
    Grpc(Arc<Reception>, Router),
    /// HTTP, and gRPC for what has its content type.
    Both(Arc<Reception>, Router),
    /// The routes of a platform.
    Platform(Arc<Reception>, Platform),
    /// OpenAI's routes alone.
    OpenAi(Arc<Reception>, TextModels),
    /// The page, with what it asks, alone.
    Page(Arc<Reception>),
    /// The page about the models of a tritonserver.
    #[cfg(tritonserver)]
    Docs(Arc<Reception>, Arc<Relay>),
}

impl Door {
    /// Answers a request.
    ///
    /// No `async fn`, and its parts stay where they are: the future is moved before it is polled, and is as large as all
    /// that it may have to keep.
    pub(super) fn answer(
        self: Arc<Self>,
        mut parts: Parts,
        mut body: RequestBody,
    ) -> impl Future<Output = Response<Answered>> + Send {
        let http1 = parts.version < Version::HTTP_2;
        async move {
            let (mut response, close) = match self.refused(&parts) {
                Some(refused) => (refused, true),
                None => {
                    let response = match self.rooms.kserve(&parts.headers) {
                        Some(reception) => http::answer_to(reception, &mut parts, &mut body)
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

    /// Gives a request its place among those of its connection, if their order matters.
    pub(super) fn arrive<B>(&self, mut request: Request<B>, order: &ArrivalOrder) -> Request<B> {
        if self.rooms.keep_order() && grpc::is_inference(request.uri().path()) {
            request.extensions_mut().insert(order.arrive());
        }
        request
    }

    /// The answer to a request that comes no further.
    fn refused(&self, parts: &Parts) -> Option<Response<Answered>> {
        let head = check_head(parts.version, &parts.headers);
        if let Err(error) = head.and_then(|()| self.hosts.check(parts)) {
            return Some(self.refusal(parts, error));
        }
        let limit = self.exhausted.filter(|_| !self.rooms.is_probe(parts))?;
        Some(match grpc::is_grpc(&parts.headers) {
            true => grpc::refusal(GrpcError::Connections { limit }).map(Answered::Routed),
            false => self.refusal(parts, HttpError::Connections { limit }),
        })
    }

    /// An error over HTTP, in the form of whatever the path is one of.
    fn refusal(&self, parts: &Parts, error: HttpError) -> Response<Answered> {
        let refusal = match self.rooms.are_openai(parts.uri.path()) {
            true => http::openai_refusal(error),
            false => http::refusal(error),
        };
        refusal.map(Answered::Http)
    }
}

impl Rooms {
    /// What answers a request with such headers, where it is one of the KServe API over HTTP.
    fn kserve(&self, headers: &HeaderMap) -> Option<&Reception> {
        match self {
            Self::Http(reception) => Some(reception),
            Self::Both(reception, _) if !grpc::is_grpc(headers) => Some(reception),
            _ => None,
        }
    }

    /// Answers a request.
    async fn answer(&self, request: Request<RequestBody>) -> Response<Answered> {
        match self {
            Self::Http(reception) => http::answer(reception, request).await.map(Answered::Http),
            Self::Routes(routes) | Self::Grpc(_, routes) | Self::Both(_, routes) => {
                routed(routes, request).await
            }
            Self::Platform(reception, platform) => {
                let answer = platform.answer(reception, request).await;
                answer.map(Answered::Http)
            }
            Self::OpenAi(reception, models) => {
                let answer = http::answer_openai(reception, models, request).await;
                answer.map(Answered::Http)
            }
            Self::Page(reception) => {
                let answer = http::answer_page(reception, request).await;
                answer.map(Answered::Http)
            }
            #[cfg(tritonserver)]
            Self::Docs(reception, relay) => {
                let answer = http::answer_docs(reception, relay, request).await;
                answer.map(Answered::Http)
            }
        }
    }

    /// Whether gRPC calls of one connection enter the queues in the order in which they have arrived.
    fn keep_order(&self) -> bool {
        match self {
            Self::Grpc(reception, _) | Self::Both(reception, _) => reception.models.has_sequences(),
            _ => false,
        }
    }

    /// Whether the request asks how the server is.
    fn is_probe(&self, parts: &Parts) -> bool {
        match self {
            Self::Platform(_, platform) => platform.is_health(parts.uri.path()),
            _ => is_probe(parts),
        }
    }

    /// Whether OpenAI's routes are what answers at that path.
    fn are_openai(&self, path: &str) -> bool {
        match self {
            Self::OpenAi(..) => true,
            Self::Http(reception) | Self::Both(reception, _) => {
                http::is_openai(path) && http::has_texts(&reception.models)
            }
            _ => false,
        }
    }
}

async fn routed(routes: &Router, request: Request<RequestBody>) -> Response<Answered> {
    // A router is always ready.
    match routes.clone().call(request).await {
        Ok(response) => response.map(Answered::Routed),
        Err(never) => match never {},
    }
}

fn is_probe(parts: &Parts) -> bool {
    let path = parts.uri.path();
    let of_a_model = path.starts_with("/v2/models/") && path.ends_with("/ready");
    PROBES.contains(&path) || of_a_model && parts.method == Method::GET
}

impl Answered {
    /// What may stand between the parts of the body and means nothing.
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
