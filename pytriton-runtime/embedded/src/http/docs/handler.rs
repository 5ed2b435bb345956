use std::sync::Arc;

use axum::http::Request;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use pytriton_engine::port::Port;

use crate::service::AppState;
use crate::service::routes::DocsEndpoint;
use crate::service::routes::{Endpoint, admit};

use super::super::body::Body;
use super::super::metrics::models_text;
use super::super::response::{Failure, HttpResponse, JSON, PLAIN, held};
use super::super::router::reject;
use super::OpenApiDocument;
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
            fresh(document.respond(JSON, headers))
        }
        DocsEndpoint::Metrics => {
            let text = models_text(&app_state.models).await;
            fresh(held(app_state, PLAIN, text)?)
        }
    })
}

/// Serves the docs page for the models of a tritonserver. Forwards the requests of the page to it.
pub(crate) async fn handle_docs_port<B: Body>(
    app_state: &AppState,
    relay: &Relay,
    request: Request<B>,
) -> HttpResponse {
    let (parts, body) = request.into_parts();
    let headers = &parts.headers;
    let route = match admit(app_state, Port::Docs, &parts.uri, &parts.method, headers) {
        Ok(found) => found.route,
        Err(rejected) => return reject(app_state, &parts, body, rejected).await,
    };
    let result = async {
        Ok::<_, Failure>(match route.endpoint {
            Endpoint::Docs(DocsEndpoint::Page) => page(headers),
            Endpoint::Docs(DocsEndpoint::Document) => {
                let document = relay.document.of(relay.loaded()?).await;
                fresh(document.respond(JSON, headers))
            }
            Endpoint::Docs(DocsEndpoint::Metrics) => fresh(relay.metrics(app_state).await?),
            _ => relay.forward_call(app_state, route, &parts, body).await?,
        })
    };
    result.await.unwrap_or_else(HttpResponse::from)
}

fn page(asked: &HeaderMap) -> HttpResponse {
    let mut response = fresh(PAGE.html.respond(HTML, asked));
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

/// Adds headers against caching without revalidation and against content sniffing.
fn fresh(mut response: HttpResponse) -> HttpResponse {
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
