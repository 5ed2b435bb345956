use std::sync::Arc;

use axum::Router;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Request, Response};
use axum::response::IntoResponse;
use pytriton_engine::port::Port;
use pytriton_net::{Refusal, RequestBody};

use crate::content_type::is_grpc;
use crate::grpc::{GrpcError, GrpcResponse};
use crate::http::{self, HttpError, Platform, Relay, TextModels};
use crate::service::routes::{ErrorFormat, error_format, is_probe};
use crate::service::{AppState, Error};

use super::body::PortBody;
use super::router::routed;

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

impl PortRoutes {
    /// Creates the response to a request that the port refuses.
    pub(super) fn refuse(&self, head: &Parts, refusal: Refusal) -> Response<PortBody> {
        let error = match (is_grpc(&head.headers), refusal) {
            (true, Refusal::Memory(error)) => GrpcError::from(Error::from(error)),
            (true, Refusal::Connections { limit }) => GrpcError::Connections { limit },
            (_, refusal) => return self.refusal(head, refusal.into()),
        };
        let response = GrpcResponse::from(error).into_response();
        response.map(PortBody::routed)
    }

    /// Returns the service of a KServe request over HTTP.
    pub(super) fn kserve(&self, headers: &HeaderMap) -> Option<&AppState> {
        match self {
            Self::Http(app_state) => Some(app_state),
            Self::Both(app_state, _) if !is_grpc(headers) => Some(app_state),
            _ => None,
        }
    }

    /// Routes a request to its service.
    pub(super) async fn handle(&self, request: Request<RequestBody>) -> Response<PortBody> {
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
    pub(super) fn keep_order(&self) -> bool {
        match self {
            Self::Grpc(app_state, _)
            | Self::Both(app_state, _)
            | Self::Own(app_state, _, Some(_)) => app_state.models.has_sequences(),
            _ => false,
        }
    }

    /// Returns whether a request is served on connections beyond the connection limit.
    pub(super) fn is_probe(&self, head: &Parts) -> bool {
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
