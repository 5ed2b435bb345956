use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::Router;
use axum::body::{Body, HttpBody};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, Request, Response};
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use tonic::codegen::Service;

use crate::grpc::{self, GrpcError};
#[cfg(tritonserver)]
use crate::http::Relay;
use crate::http::{self, Content, HttpError, Platform, TextModels};
use crate::net::{HttpService, Refusal, RequestBody, ResponseContent};
use crate::request::ArrivalOrder;
use crate::service::{AppState, Error};

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

/// Serves the requests of a port.
#[derive(Debug)]
pub(super) struct PortService {
    routes: Arc<PortRoutes>,
    /// The order of the requests of one connection.
    order: ArrivalOrder,
}

/// The routes of a port.
#[derive(Debug)]
pub(super) enum PortRoutes {
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

/// The body of a response.
#[derive(Debug)]
pub(super) enum PortBody {
    Http(Content),
    Routed(Body),
}

impl PortService {
    pub(super) fn new(routes: PortRoutes) -> Self {
        Self {
            routes: Arc::new(routes),
            order: ArrivalOrder::default(),
        }
    }
}

impl HttpService for PortService {
    type Body = PortBody;

    fn connect(&self) -> Self {
        Self {
            routes: Arc::clone(&self.routes),
            order: ArrivalOrder::default(),
        }
    }

    fn is_health(&self, head: &Parts) -> bool {
        self.routes.is_probe(head)
    }

    fn refuse(&self, head: &Parts, refusal: Refusal) -> Response<PortBody> {
        let error = match (grpc::is_grpc(&head.headers), refusal) {
            (true, Refusal::Memory(error)) => GrpcError::from(Error::from(error)),
            (true, Refusal::Connections { limit }) => GrpcError::Connections { limit },
            (_, refusal) => return self.routes.refusal(head, refusal.into()),
        };
        grpc::refusal(error).map(PortBody::Routed)
    }

    /// Not an `async fn`, because the future is moved before it is first polled. Its size includes
    /// everything it may ever hold, so `head` and `body` are captured only once.
    #[inline]
    fn call(
        &self,
        mut head: Parts,
        mut body: RequestBody,
    ) -> impl Future<Output = Response<PortBody>> + Send + 'static + use<> {
        let routes = Arc::clone(&self.routes);
        if routes.keep_order() && grpc::is_inference(head.uri.path()) {
            head.extensions.insert(self.order.arrive());
        }
        async move {
            match routes.kserve(&head.headers) {
                Some(app_state) => http::answer_to(app_state, &mut head, &mut body)
                    .await
                    .map(PortBody::Http),
                None => {
                    let request = Request::from_parts(head, body);
                    Box::pin(routes.answer(request)).await
                }
            }
        }
    }
}

impl PortRoutes {
    /// Returns the service of a KServe request over HTTP.
    fn kserve(&self, headers: &HeaderMap) -> Option<&AppState> {
        match self {
            Self::Http(app_state) => Some(app_state),
            Self::Both(app_state, _) if !grpc::is_grpc(headers) => Some(app_state),
            _ => None,
        }
    }

    /// Routes a request to its service.
    async fn answer(&self, request: Request<RequestBody>) -> Response<PortBody> {
        match self {
            Self::Http(app_state) => http::answer(app_state, request).await.map(PortBody::Http),
            Self::Routes(routes) | Self::Grpc(_, routes) | Self::Both(_, routes) => {
                routed(routes, request).await
            }
            Self::Platform(app_state, platform) => {
                let answer = platform.answer(app_state, request).await;
                answer.map(PortBody::Http)
            }
            Self::OpenAi(app_state, models) => {
                let answer = http::answer_openai(app_state, models, request).await;
                answer.map(PortBody::Http)
            }
            Self::Page(app_state) => {
                let answer = http::answer_page(app_state, request).await;
                answer.map(PortBody::Http)
            }
            #[cfg(tritonserver)]
            Self::Docs(app_state, relay) => {
                let answer = http::answer_docs(app_state, relay, request).await;
                answer.map(PortBody::Http)
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

    /// Formats an error over HTTP according to the API that the path belongs to.
    fn refusal(&self, head: &Parts, error: HttpError) -> Response<PortBody> {
        let refusal = match self.are_openai(head.uri.path()) {
            true => http::openai_refusal(error),
            false => http::refusal(error),
        };
        refusal.map(PortBody::Http)
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

async fn routed(routes: &Router, request: Request<RequestBody>) -> Response<PortBody> {
    // The router is always ready.
    match routes.clone().call(request).await {
        Ok(response) => response.map(PortBody::Routed),
        Err(never) => match never {},
    }
}

fn is_probe(parts: &Parts) -> bool {
    let path = parts.uri.path();
    let of_a_model = path.starts_with("/v2/models/") && path.ends_with("/ready");
    PROBES.contains(&path) || of_a_model && parts.method == Method::GET
}

impl ResponseContent for PortBody {
    fn comment(&self) -> Option<Bytes> {
        match self {
            Self::Http(content) => content.comment(),
            Self::Routed(_) => None,
        }
    }
}

impl HttpBody for PortBody {
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
