use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::Router;
use axum::body::{Body, HttpBody};
use axum::http::header::CONNECTION;
use axum::http::{HeaderValue, Method, Request, Response, Version};
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use tonic::codegen::Service;

use crate::grpc::{self, GrpcError};
use crate::http::{self, Content, HttpError, Platform, TextModels, check_head};
use crate::reception::Reception;

use super::received::Received;

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
    /// HTTP, and gRPC for what has its content type.
    Both(Arc<Reception>, Router),
    /// The routes of a platform.
    Platform(Arc<Reception>, Platform),
    /// OpenAI's routes alone.
    OpenAi(Arc<Reception>, TextModels),
}

impl Door {
    pub(super) async fn answer(&self, request: Request<Received>) -> Response<Answered> {
        let http1 = request.version() < Version::HTTP_2;
        let (mut response, close) = match (
            check_head(request.version(), request.headers()),
            self.exhausted,
        ) {
            (Err(error), _) => (self.refusal(&request, error), true),
            (Ok(()), Some(limit)) if !self.rooms.is_probe(&request) => {
                (self.exhausted(&request, limit), http1)
            }
            (Ok(()), exhausted) => {
                let response = match &self.rooms {
                    Rooms::Routes(routes) => routed(routes, request).await,
                    Rooms::Both(_, routes) if grpc::is_grpc(&request) => {
                        routed(routes, request).await
                    }
                    Rooms::Platform(reception, platform) => {
                        let answer = Box::pin(platform.answer(reception, request));
                        answer.await.map(Answered::Http)
                    }
                    Rooms::OpenAi(reception, models) => {
                        let answer = Box::pin(http::answer_openai(reception, models, request));
                        answer.await.map(Answered::Http)
                    }
                    Rooms::Http(reception) | Rooms::Both(reception, _) => {
                        http::answer(reception, request).await.map(Answered::Http)
                    }
                };
                (response, http1 && exhausted.is_some())
            }
        };
        if close {
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(CONNECTION, close);
        }
        response
    }

    fn exhausted<B>(&self, request: &Request<B>, limit: u32) -> Response<Answered> {
        match grpc::is_grpc(request) {
            true => grpc::refusal(GrpcError::Connections { limit }).map(Answered::Routed),
            false => self.refusal(request, HttpError::Connections { limit }),
        }
    }

    /// An error over HTTP, in the form of whatever the path is one of.
    fn refusal<B>(&self, request: &Request<B>, error: HttpError) -> Response<Answered> {
        let refusal = match self.rooms.are_openai(request.uri().path()) {
            true => http::openai_refusal(error),
            false => http::refusal(error),
        };
        refusal.map(Answered::Http)
    }
}

impl Rooms {
    /// Whether the request asks how the server is.
    fn is_probe<B>(&self, request: &Request<B>) -> bool {
        match self {
            Self::Platform(_, platform) => platform.is_health(request.uri().path()),
            _ => is_probe(request),
        }
    }

    /// Whether OpenAI's routes are what answers at that path.
    fn are_openai(&self, path: &str) -> bool {
        match self {
            Self::OpenAi(..) => true,
            Self::Http(reception) | Self::Both(reception, _) if http::is_openai(path) => {
                TextModels::Here(Arc::clone(&reception.models)).any()
            }
            _ => false,
        }
    }
}

async fn routed(routes: &Router, request: Request<Received>) -> Response<Answered> {
    // A router is always ready.
    match routes.clone().call(request).await {
        Ok(response) => response.map(Answered::Routed),
        Err(never) => match never {},
    }
}

fn is_probe<B>(request: &Request<B>) -> bool {
    let path = request.uri().path();
    let of_a_model = path.starts_with("/v2/models/") && path.ends_with("/ready");
    PROBES.contains(&path) || of_a_model && request.method() == Method::GET
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
