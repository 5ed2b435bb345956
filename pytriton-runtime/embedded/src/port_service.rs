use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::Router;
use axum::body::{Body, HttpBody};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Request, Response};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use hyper::body::{Frame, SizeHint};
use pytriton_core::request::ArrivalOrder;
use pytriton_engine::port::Port;
use pytriton_net::{HttpService, Refusal, RequestBody, ResponseContent};
use tokio::sync::watch;
use tokio::time::Instant;
use tonic::codegen::Service;

use crate::grpc::{self, GrpcError};
use crate::http::{self, Content, HttpError, Platform, Relay, TextModels};
use crate::service::routes::{Endpoint, ErrorFormat, Rpc, error_format, find, is_probe};
use crate::service::{AppState, Error};

/// Serves the requests of a port.
#[derive(Debug)]
pub struct PortService {
    routes: Arc<PortRoutes>,
    /// The order of the requests of one connection.
    order: ArrivalOrder,
}

/// The routes of a port.
#[derive(Debug)]
pub enum PortRoutes {
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
    Docs(Arc<AppState>, Arc<Relay>),
}

/// The body of a response.
#[derive(Debug)]
pub struct PortBody(Contents);

#[derive(Debug)]
enum Contents {
    Http(Content),
    Routed(Body),
}

impl PortService {
    /// Creates a service for the first connection.
    pub fn new(routes: PortRoutes) -> Self {
        Self {
            routes: Arc::new(routes),
            order: ArrivalOrder::default(),
        }
    }
}

/// Serves a port until `stop` is set, as [`pytriton_net::Endpoint::serve`] does.
///
/// The future is boxed here, so that the code of connections is compiled in this crate, where the
/// services can be inlined into it.
pub fn serve(
    endpoint: pytriton_net::Endpoint<PortService>,
    stop: watch::Receiver<Option<Instant>>,
) -> BoxFuture<'static, bool> {
    Box::pin(endpoint.serve(stop))
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
        grpc::refusal(error).map(PortBody::routed)
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
        if routes.keep_order() && is_inference_call(head.uri.path()) {
            head.extensions.insert(self.order.arrive());
        }
        async move {
            match routes.kserve(&head.headers) {
                Some(app_state) => {
                    let response = http::handle_parts(app_state, Port::Http, &mut head, &mut body);
                    response.await.map(PortBody::http)
                }
                None => {
                    let request = Request::from_parts(head, body);
                    Box::pin(routes.handle(request)).await
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
    async fn handle(&self, request: Request<RequestBody>) -> Response<PortBody> {
        let response = match self {
            Self::Routes(routes) | Self::Grpc(_, routes) | Self::Both(_, routes) => {
                return routed(routes, request).await;
            }
            Self::Http(app_state) => http::handle(app_state, Port::Http, request).await,
            Self::Platform(app_state, platform) => platform.handle(app_state, request).await,
            Self::OpenAi(app_state, models) => {
                http::handle_openai_port(app_state, models, request).await
            }
            Self::Page(app_state) => http::handle(app_state, Port::Docs, request).await,
            Self::Docs(app_state, relay) => http::handle_docs_port(app_state, relay, request).await,
        };
        response.map(PortBody::http)
    }

    /// Returns whether gRPC calls of one connection must enter the queues in order of arrival.
    fn keep_order(&self) -> bool {
        match self {
            Self::Grpc(app_state, _) | Self::Both(app_state, _) => app_state.models.has_sequences(),
            _ => false,
        }
    }

    /// Returns whether a request is served on connections beyond the connection limit.
    fn is_probe(&self, head: &Parts) -> bool {
        let path = match self {
            Self::Platform(_, platform) => platform.table_path(head.uri.path()),
            _ => head.uri.path(),
        };
        is_probe(self.port(&head.headers), path, &head.method)
    }

    /// Returns the port whose rows of the table of routes apply to a request.
    fn port(&self, headers: &HeaderMap) -> Port {
        match self {
            Self::Both(..) if grpc::is_grpc(headers) => Port::Grpc,
            Self::Http(_) | Self::Both(..) => Port::Http,
            Self::Grpc(..) => Port::Grpc,
            Self::Routes(_) => Port::Metrics,
            Self::Platform(_, platform) => platform.port(),
            Self::OpenAi(..) => Port::OpenAi,
            Self::Page(_) | Self::Docs(..) => Port::Docs,
        }
    }

    /// Formats an error over HTTP according to the API that the path belongs to.
    fn refusal(&self, head: &Parts, error: HttpError) -> Response<PortBody> {
        let port = self.port(&head.headers);
        let format = match self {
            Self::Http(app_state) | Self::Both(app_state, _) => {
                error_format(app_state, port, head.uri.path())
            }
            _ => ErrorFormat::of_port(port),
        };
        http::refusal(error, format, head).map(PortBody::http)
    }
}

async fn routed(routes: &Router, request: Request<RequestBody>) -> Response<PortBody> {
    // The router is always ready.
    match routes.clone().call(request).await {
        Ok(response) => response.map(PortBody::routed),
        Err(never) => match never {},
    }
}

/// Returns whether the path is that of unary inference calls.
fn is_inference_call(path: &str) -> bool {
    let found = find(Port::Grpc, path);
    found.is_some_and(|found| found.route.endpoint == Endpoint::Rpc(Rpc::ModelInfer))
}

impl PortBody {
    fn http(content: Content) -> Self {
        Self(Contents::Http(content))
    }

    fn routed(body: Body) -> Self {
        Self(Contents::Routed(body))
    }
}

impl ResponseContent for PortBody {
    fn comment(&self) -> Option<Bytes> {
        match &self.0 {
            Contents::Http(content) => content.comment(),
            Contents::Routed(_) => None,
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
        match &mut self.0 {
            Contents::Http(content) => Pin::new(content)
                .poll_frame(context)
                .map_err(|never| match never {}),
            Contents::Routed(body) => Pin::new(body).poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Contents::Http(content) => content.is_end_stream(),
            Contents::Routed(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Contents::Http(content) => content.size_hint(),
            Contents::Routed(body) => body.size_hint(),
        }
    }
}
