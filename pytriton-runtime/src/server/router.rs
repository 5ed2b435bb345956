use std::convert::Infallible;
use std::fmt::Display;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, HttpBody};
use axum::http::{Request, Response};
use bytes::Bytes;
use tonic::codegen::Service;

use crate::access::Access;
use crate::grpc;
use crate::http::{self, Metrics, metrics_router};
use crate::net::check_head;
use crate::port::Port;
use crate::service::AppState;
use crate::service::routes::{ErrorFormat, find};

use super::embedded_checks::access;
use super::serve::services;
use super::{ServerError, Triton};

/// Serves the models of a [`Triton`] in a server of the application: a tower service for axum's
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

impl Triton {
    /// Loads the models if they are not served yet, opens no port, and returns a router for them.
    /// Needs the embedded engine.
    ///
    /// [`stop`](Self::stop) completes the requests that the models have accepted. Stop the server
    /// that contains the router first.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run), and if the tritonserver engine is requested, which has its own ports.
    pub fn router(&self) -> Result<Router, ServerError> {
        let (models, _) = self.loaded("a call to `router`")?;
        let limits = self.options.limits()?;
        let access = access(&self.options)?;
        let (http, grpc) = services(&models, limits, &self.options, &access, None);
        Ok(Router {
            http,
            grpc,
            metrics: metrics_router(Arc::new(Metrics::new(models, Vec::new()))),
            _access: access,
        })
    }
}

impl Router {
    async fn answer<B>(self, request: Request<B>) -> Response<Body>
    where
        B: HttpBody<Data = Bytes, Error: Display + Into<axum::BoxError>> + Send + Unpin + 'static,
    {
        if let Err(error) = check_head(request.version(), request.headers()) {
            let (head, _) = request.into_parts();
            let refusal = http::refusal(error.into(), ErrorFormat::PlainJson, &head);
            return refusal.map(Body::new);
        }
        if grpc::is_grpc(request.headers()) {
            return routed(self.grpc, request).await;
        }
        match find(Port::Metrics, request.uri().path()) {
            Some(_) => routed(self.metrics, request).await,
            None => {
                let answer = http::answer(&self.http, Port::Http, request).await;
                answer.map(Body::new)
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
        Box::pin(async move { Ok(router.answer(request).await) })
    }
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;

    use crate::engine::EngineChoice;
    use crate::proto::grpc_inference_service_client::GrpcInferenceServiceClient;
    use crate::proto::{ModelReadyRequest, ServerReadyRequest};
    use crate::registry::Registry;
    use crate::server::Options;
    use crate::testing::IDENTITY;

    use super::*;

    #[tokio::test]
    async fn answers_each_protocol() {
        let mut options = Options::parse::<&str>([]).unwrap();
        options.triton.engine = EngineChoice::Embedded;
        let triton = Triton::with(options, Registry::new(&[&IDENTITY]).unwrap());
        let mut router = triton.router().unwrap();
        let mut grpc = GrpcInferenceServiceClient::new(router.clone());
        let ready = grpc.server_ready(ServerReadyRequest {}).await.unwrap();
        assert!(ready.into_inner().ready);
        let asked = ModelReadyRequest {
            name: "Identity".to_owned(),
            version: String::new(),
        };
        assert!(
            grpc.model_ready(asked.clone())
                .await
                .unwrap()
                .into_inner()
                .ready
        );
        for (path, status) in [
            ("/v2/health/ready", StatusCode::OK),
            ("/v2/models/Identity", StatusCode::OK),
            ("/metrics", StatusCode::OK),
            ("/elsewhere", StatusCode::NOT_FOUND),
        ] {
            let request = Request::get(path).header("host", "x").body(Body::empty());
            let response = router.call(request.unwrap()).await.unwrap();
            assert_eq!(response.status(), status, "{path}");
        }
        triton.stop().unwrap();
        assert!(!grpc.model_ready(asked).await.unwrap().into_inner().ready);
    }
}
