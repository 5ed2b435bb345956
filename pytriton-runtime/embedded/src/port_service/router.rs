use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, Request, Response};
use pytriton_engine::port::Port;
use pytriton_net::RequestBody;
use tonic::codegen::Service;

use crate::http;
use crate::service::AppState;

use super::body::PortBody;

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

/// Calls a router, which may pass on the response of a model.
pub(super) async fn routed(routes: &Router, request: Request<RequestBody>) -> Response<PortBody> {
    // The router is always ready.
    match routes.clone().call(request).await {
        Ok(mut response) => match response.extensions_mut().remove::<EventStream>() {
            Some(_) if are_events(response.headers()) => response.map(PortBody::routed_events),
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
