use std::sync::Arc;

use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, ETAG,
    REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use pytriton_core::tracked_bytes::TrackedBytes;

use crate::service::routes::DocsEndpoint;
use crate::service::{AppState, CachedText, OpenApiDocument};

use super::super::compression::Encoding;
use super::super::head::value;
use super::super::metrics::models_text;
use super::super::response::{Failure, HttpResponse, JSON, PLAIN, held, respond};
use super::Relay;
use super::page::PAGE;

const HTML: &str = "text/html; charset=utf-8";

/// Serves the docs page and its data.
pub(in crate::http) async fn handle(
    app_state: &AppState,
    document: &OpenApiDocument,
    endpoint: DocsEndpoint,
    headers: &HeaderMap,
) -> Result<HttpResponse, Failure> {
    Ok(match endpoint {
        DocsEndpoint::Page => page(headers),
        DocsEndpoint::Document => {
            let models = app_state.models.models();
            let models = models.iter().map(|model| Arc::clone(model.spec()));
            let document = document.of(models.collect()).await;
            cached(&document, JSON, headers)
        }
        DocsEndpoint::Metrics => {
            let text = models_text(&app_state.models).await;
            fresh(held(app_state, PLAIN, text)?)
        }
    })
}

/// Serves the docs page and its data for the models of a tritonserver.
pub(in crate::http) async fn handle_relayed(
    app_state: &AppState,
    relay: &Relay,
    endpoint: DocsEndpoint,
    headers: &HeaderMap,
) -> Result<HttpResponse, Failure> {
    Ok(match endpoint {
        DocsEndpoint::Page => page(headers),
        DocsEndpoint::Document => {
            let document = relay.document.of(relay.loaded()?).await;
            cached(&document, JSON, headers)
        }
        DocsEndpoint::Metrics => fresh(relay.metrics(app_state).await?),
    })
}

fn page(request: &HeaderMap) -> HttpResponse {
    let mut response = cached(&PAGE.html, HTML, request);
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, PAGE.policy.clone());
    for (name, value) in [
        (REFERRER_POLICY, "no-referrer"),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Creates a response with a text, which is empty if the client has the current version.
fn cached(text: &CachedText, content_type: &'static str, request: &HeaderMap) -> HttpResponse {
    let gzip = match Encoding::of_response(value(request, &ACCEPT_ENCODING)) {
        Some(Encoding::Gzip) => text.gzip.as_ref(),
        _ => None,
    };
    let (status, body) = match (text.is_known(request), gzip) {
        (true, _) => (StatusCode::NOT_MODIFIED, TrackedBytes::default()),
        (false, Some(gzip)) => (StatusCode::OK, gzip.clone()),
        (false, None) => (StatusCode::OK, text.plain.clone()),
    };
    let mut response = respond(status, content_type, body);
    let headers = response.headers_mut();
    if gzip.is_some() && status == StatusCode::OK {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    headers.insert(ETAG, text.tag.clone());
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    fresh(response)
}

/// Adds headers against caching without revalidation and against content sniffing.
fn fresh(mut response: HttpResponse) -> HttpResponse {
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
