use std::error::Error;
use std::fmt::Display;
use std::future::poll_fn;
use std::sync::Arc;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::request::Parts;
use http::{HeaderValue, Request, Response, StatusCode};
use http_body::Body;
use http_body_util::{Either, Full};
use tower_service::Service;

use crate::{HttpService, Refusal, RequestBody, ResponseContent};

/// Serves a tower service, such as the router of a web framework.
///
/// Requests that the port refuses receive plain text. If the tower service fails, the client
/// receives status 500 and the error is logged.
#[derive(Debug, Clone)]
pub struct TowerService<S> {
    service: S,
    health_paths: Arc<[String]>,
}

impl<S> TowerService<S> {
    /// Serves a tower service, which is cloned for every request.
    pub fn new(service: S) -> Self {
        Self {
            service,
            health_paths: Arc::default(),
        }
    }

    /// Sets the paths that are served on connections beyond the connection limit. The default is an
    /// empty list.
    pub fn health_paths<P: Into<String>>(mut self, paths: impl IntoIterator<Item = P>) -> Self {
        self.health_paths = paths.into_iter().map(Into::into).collect();
        self
    }
}

impl<S, B> HttpService for TowerService<S>
where
    S: Service<Request<RequestBody>, Response = Response<B>, Error: Display + Send, Future: Send>
        + Clone
        + Send
        + Sync
        + 'static,
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + Unpin + 'static,
{
    type Body = Either<B, Full<Bytes>>;

    fn connect(&self) -> Self {
        self.clone()
    }

    fn is_health(&self, head: &Parts) -> bool {
        let path = head.uri.path();
        self.health_paths.iter().any(|health| health == path)
    }

    fn refuse(&self, _: &Parts, refusal: Refusal) -> Response<Self::Body> {
        plain_text(refusal.status(), refusal.to_string())
    }

    fn call(
        &self,
        head: Parts,
        body: RequestBody,
    ) -> impl Future<Output = Response<Self::Body>> + Send + 'static + use<S, B> {
        let request = Request::from_parts(head, body);
        let mut service = self.service.clone();
        async move {
            let response = match poll_fn(|context| service.poll_ready(context)).await {
                Ok(()) => service.call(request).await,
                Err(error) => Err(error),
            };
            match response {
                Ok(response) => response.map(Either::Left),
                Err(error) => {
                    tracing::error!(%error, "the service failed");
                    let text = "internal server error".to_owned();
                    plain_text(StatusCode::INTERNAL_SERVER_ERROR, text)
                }
            }
        }
    }
}

impl<B> ResponseContent for Either<B, Full<Bytes>> where
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + Unpin + 'static
{
}

fn plain_text<B>(status: StatusCode, text: String) -> Response<Either<B, Full<Bytes>>> {
    let mut response = Response::new(Either::Right(Full::from(text)));
    *response.status_mut() = status;
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, plain);
    response
}
