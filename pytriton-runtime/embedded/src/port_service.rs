use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::Router;
use axum::body::{Body, HttpBody};
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Request, Response};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use hyper::body::{Frame, SizeHint};
use pytriton_core::request::ArrivalOrder;
use pytriton_engine::logging::AccessLogFormat;
use pytriton_engine::port::Port;
use pytriton_net::{HttpService, Refusal, RequestBody, ResponseContent};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::Instant;
use tonic::codegen::Service;

use crate::access_log::{ConnectionLog, PendingLine};
use crate::content_type::is_grpc;
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
    /// The access log, if it is enabled.
    log: Option<Arc<ConnectionLog>>,
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
    /// HTTP through the router of a program, and gRPC for requests with its content type, if it
    /// shares the port.
    Own(Arc<AppState>, Router, Option<Router>),
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
    /// Events of a model, which a router of the program has passed on.
    RoutedEvents(Body),
    Logged(Box<LoggedBody>),
}

/// The body of a response in the access log.
#[derive(Debug)]
struct LoggedBody {
    body: PortBody,
    line: Box<PendingLine>,
}

impl PortService {
    /// Creates a service for the first connection.
    pub fn new(routes: PortRoutes) -> Self {
        Self {
            routes: Arc::new(routes),
            order: ArrivalOrder::default(),
            log: None,
        }
    }

    /// Writes a line for each request, if there is a format.
    pub fn access_log(mut self, format: Option<AccessLogFormat>) -> Self {
        self.log = format.map(ConnectionLog::new);
        self
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
            log: self.log.clone(),
        }
    }

    fn accept(&mut self, stream: &TcpStream) {
        if let Some(log) = &mut self.log {
            *log = log.of_client(stream.peer_addr().ok());
        }
    }

    fn is_health(&self, head: &Parts) -> bool {
        self.routes.is_probe(head)
    }

    fn refuse(&self, head: &Parts, refusal: Refusal) -> Response<PortBody> {
        let response = self.routes.refuse(head, refusal);
        match &self.log {
            Some(log) => logged(response, log.begin(head)),
            None => response,
        }
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
        let line = self.log.as_ref().map(|log| log.begin(&head));
        async move {
            if let Some(line) = line {
                return Box::pin(respond_logged(routes, head, body, line)).await;
            }
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

/// Serves a request in the access log.
async fn respond_logged(
    routes: Arc<PortRoutes>,
    mut head: Parts,
    mut body: RequestBody,
    line: Box<PendingLine>,
) -> Response<PortBody> {
    let response = line.around(async {
        match routes.kserve(&head.headers) {
            Some(app_state) => {
                let response = http::handle_parts(app_state, Port::Http, &mut head, &mut body);
                response.await.map(PortBody::http)
            }
            None => routes.handle(Request::from_parts(head, body)).await,
        }
    });
    logged(response.await, line)
}

/// Passes the line of a request on to the body of its response.
fn logged(response: Response<PortBody>, mut line: Box<PendingLine>) -> Response<PortBody> {
    line.respond(&response, response.body().is_end_stream());
    response.map(|body| PortBody(Contents::Logged(Box::new(LoggedBody { body, line }))))
}

impl PortRoutes {
    /// Creates the response to a request that the port refuses.
    fn refuse(&self, head: &Parts, refusal: Refusal) -> Response<PortBody> {
        let error = match (is_grpc(&head.headers), refusal) {
            (true, Refusal::Memory(error)) => GrpcError::from(Error::from(error)),
            (true, Refusal::Connections { limit }) => GrpcError::Connections { limit },
            (_, refusal) => return self.refusal(head, refusal.into()),
        };
        grpc::refusal(error).map(PortBody::routed)
    }

    /// Returns the service of a KServe request over HTTP.
    fn kserve(&self, headers: &HeaderMap) -> Option<&AppState> {
        match self {
            Self::Http(app_state) => Some(app_state),
            Self::Both(app_state, _) if !is_grpc(headers) => Some(app_state),
            _ => None,
        }
    }

    /// Routes a request to its service.
    async fn handle(&self, request: Request<RequestBody>) -> Response<PortBody> {
        let response = match self {
            Self::Own(_, _, Some(routes)) if is_grpc(request.headers()) => {
                return routed(routes, request).await;
            }
            Self::Own(_, routes, _)
            | Self::Routes(routes)
            | Self::Grpc(_, routes)
            | Self::Both(_, routes) => {
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
            Self::Grpc(app_state, _)
            | Self::Both(app_state, _)
            | Self::Own(app_state, _, Some(_)) => app_state.models.has_sequences(),
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
            Self::Both(..) | Self::Own(_, _, Some(_)) if is_grpc(headers) => Port::Grpc,
            Self::Http(_) | Self::Both(..) | Self::Own(..) => Port::Http,
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
            Self::Http(app_state) | Self::Both(app_state, _) | Self::Own(app_state, ..) => {
                error_format(app_state, port, head.uri.path())
            }
            _ => ErrorFormat::of_port(port),
        };
        http::refusal(error, format, head).map(PortBody::http)
    }
}

/// Marks the responses of models whose body consists of events.
#[derive(Debug, Clone)]
struct EventStream;

/// Returns a router whose fallback serves the KServe API over HTTP.
pub(crate) fn models_router(app_state: &Arc<AppState>) -> Router {
    let app_state = Arc::clone(app_state);
    Router::new().fallback(async move |request: Request<Body>| {
        let mut response = http::handle(&app_state, Port::Http, request).await;
        if response.body().comment().is_some() {
            response.extensions_mut().insert(EventStream);
        }
        response.map(Body::new)
    })
}

async fn routed(routes: &Router, request: Request<RequestBody>) -> Response<PortBody> {
    // The router is always ready.
    match routes.clone().call(request).await {
        Ok(mut response) => match response.extensions_mut().remove::<EventStream>() {
            Some(_) if are_events(response.headers()) => {
                response.map(|body| PortBody(Contents::RoutedEvents(body)))
            }
            _ => response.map(PortBody::routed),
        },
        Err(never) => match never {},
    }
}

/// Returns whether a response that began as events still consists of them. A layer may have
/// compressed or converted it.
fn are_events(headers: &HeaderMap) -> bool {
    let content_type = headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes);
    content_type.is_some_and(|value| value.starts_with(b"text/event-stream"))
        && !headers.contains_key(CONTENT_ENCODING)
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

impl LoggedBody {
    fn poll_frame(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let Self { body, line } = self;
        let polled = line.within(|| Pin::new(&mut *body).poll_frame(context));
        match &polled {
            Poll::Ready(None) => line.hand_over::<Bytes>(None, true),
            Poll::Ready(Some(Ok(frame))) => line.hand_over(Some(frame), body.is_end_stream()),
            Poll::Ready(Some(Err(_))) | Poll::Pending => {}
        }
        polled
    }
}

impl ResponseContent for PortBody {
    fn comment(&self) -> Option<Bytes> {
        match &self.0 {
            Contents::Http(content) => content.comment(),
            Contents::Routed(_) => None,
            Contents::RoutedEvents(_) => Content::event_comment().into(),
            Contents::Logged(logged) => logged.body.comment(),
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
            Contents::Routed(body) | Contents::RoutedEvents(body) => {
                Pin::new(body).poll_frame(context)
            }
            Contents::Logged(logged) => logged.poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Contents::Http(content) => content.is_end_stream(),
            Contents::Routed(body) | Contents::RoutedEvents(body) => body.is_end_stream(),
            Contents::Logged(logged) => logged.body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Contents::Http(content) => content.size_hint(),
            Contents::Routed(body) | Contents::RoutedEvents(body) => body.size_hint(),
            Contents::Logged(logged) => logged.body.size_hint(),
        }
    }
}
