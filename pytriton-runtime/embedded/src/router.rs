use std::convert::Infallible;
use std::fmt::Display;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, HttpBody};
use axum::http::{Request, Response};
use bytes::Bytes;
use pytriton_engine::access::Access;
use pytriton_engine::port::Port;
use pytriton_net::check_head;
use tonic::codegen::Service;

use crate::content_type::is_grpc;
use crate::http::{self, Metrics, metrics_router};
use crate::service::AppState;
use crate::service::routes::{ErrorFormat, find};

/// Serves the models of a server in a server of the application: a tower service for axum's
/// `Router::fallback_service`.
///
/// It serves HTTP, `/metrics`, and gRPC if the server supports HTTP/2. It neither limits
/// connections nor closes idle or slow ones. That is the task of the server.
#[derive(Debug, Clone)]
pub struct Router {
    http: Arc<AppState>,
    grpc: axum::Router,
    metrics: axum::Router,
    /// The file with the token lives as long.
    _access: Arc<Access>,
}

impl Router {
    /// Creates a router for the services of these models.
    pub fn new(
        http: Arc<AppState>,
        grpc: axum::Router,
        metrics: Metrics,
        access: Arc<Access>,
    ) -> Self {
        Self {
            http,
            grpc,
            metrics: metrics_router(Arc::new(metrics)),
            _access: access,
        }
    }

    async fn handle<B>(self, request: Request<B>) -> Response<Body>
    where
        B: HttpBody<Data = Bytes, Error: Display + Into<axum::BoxError>> + Send + Unpin + 'static,
    {
        if let Err(error) = check_head(request.version(), request.headers()) {
            let (head, _) = request.into_parts();
            let refusal = http::refusal(error.into(), ErrorFormat::PlainJson, &head);
            return refusal.map(Body::new);
        }
        if is_grpc(request.headers()) {
            return routed(self.grpc, request).await;
        }
        match find(Port::Metrics, request.uri().path()) {
            Some(_) => routed(self.metrics, request).await,
            None => {
                let response = http::handle(&self.http, Port::Http, request).await;
                response.map(Body::new)
            }
        }
    }
}

async fn routed<B>(mut routes: axum::Router, request: Request<B>) -> Response<Body>
where
    B: HttpBody<Data = Bytes, Error: Into<axum::BoxError>> + Send + 'static,
{
    // The router is always ready.
    match routes.call(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}

impl<B> Service<Request<B>> for Router
where
    B: HttpBody<Data = Bytes, Error: Display + Into<axum::BoxError>> + Send + Unpin + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let router = self.clone();
        Box::pin(async move { Ok(router.handle(request).await) })
    }
}
