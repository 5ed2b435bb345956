use std::sync::Arc;

#[cfg(tritonserver)]
use axum::http::Request;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};

use crate::service::{AppState, Operation};

use super::super::HttpError;
use super::super::answer::{Answer, Failure, JSON, PLAIN, held};
#[cfg(tritonserver)]
use super::super::body::Body;
use super::super::metrics::models_text;
use super::super::route::GET;
#[cfg(tritonserver)]
use super::super::router::check_head_bytes;
use super::OpenApiDocument;
#[cfg(tritonserver)]
use super::Relay;
use super::page::PAGE;

const HTML: &str = "text/html; charset=utf-8";

/// The routes of the docs page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Route {
    Page,
    Document,
    /// The metrics that the page plots. Browsers do not let the page request another port.
    Metrics,
}

impl Route {
    fn parse(path: &str) -> Option<Self> {
        match path {
            "/docs" => Some(Self::Page),
            "/openapi.json" => Some(Self::Document),
            "/docs/metrics" => Some(Self::Metrics),
            _ => None,
        }
    }

    /// Returns the operations whose access rules apply. Empty for static content.
    fn operations(self) -> &'static [Operation] {
        match self {
            Self::Page => &[],
            // The document contains the descriptions and the configurations of models.
            Self::Document => &[Operation::Document, Operation::ModelConfig],
            Self::Metrics => &[Operation::Statistics],
        }
    }
}

/// Returns whether the path belongs to the docs page.
pub(in crate::http) fn is_route(path: &str) -> bool {
    Route::parse(path).is_some()
}

/// Serves the docs page and its data.
pub(in crate::http) async fn answer(
    app_state: &AppState,
    document: &OpenApiDocument,
    parts: &Parts,
) -> Result<Answer, Failure> {
    Ok(match admitted(app_state, parts)? {
        Route::Page => page(&parts.headers),
        Route::Document => {
            let models = app_state.models.models();
            let models = models.iter().map(|model| Arc::clone(model.spec()));
            let document = document.of(models.collect()).await;
            fresh(document.answer(JSON, &parts.headers))
        }
        Route::Metrics => {
            let text = models_text(&app_state.models).await;
            fresh(held(app_state, PLAIN, text)?)
        }
    })
}

/// Serves the docs page for the models of a tritonserver. Forwards the requests of the page to it.
#[cfg(tritonserver)]
pub(crate) async fn answer_on_own_port<B: Body>(
    app_state: &AppState,
    relay: &Relay,
    request: Request<B>,
) -> Answer {
    let (parts, body) = request.into_parts();
    let answered = async {
        check_head_bytes(&parts, app_state).map_err(Failure::plain)?;
        if !is_route(parts.uri.path()) {
            return relay.hand_on(app_state, &parts, body).await;
        }
        Ok(match admitted(app_state, &parts)? {
            Route::Page => page(&parts.headers),
            Route::Document => {
                let document = relay.document.of(relay.loaded()?).await;
                fresh(document.answer(JSON, &parts.headers))
            }
            Route::Metrics => fresh(relay.metrics(app_state).await?),
        })
    };
    answered.await.unwrap_or_else(Answer::from)
}

/// Returns the route of a request after checking the access rules.
fn admitted(app_state: &AppState, parts: &Parts) -> Result<Route, Failure> {
    let route = Route::parse(parts.uri.path());
    let route = route.ok_or_else(|| Failure::plain(HttpError::NotFound))?;
    for operation in route.operations() {
        let admitted = app_state.admit(*operation, &parts.headers);
        admitted.map_err(Failure::plain)?;
    }
    match parts.method {
        Method::GET => Ok(route),
        _ => Err(Failure::plain(HttpError::Method { allowed: GET })),
    }
}

fn page(asked: &HeaderMap) -> Answer {
    let mut answer = fresh(PAGE.html.answer(HTML, asked));
    let headers = answer.headers_mut();
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
    answer
}

/// Adds headers against caching without revalidation and against content sniffing.
fn fresh(mut answer: Answer) -> Answer {
    let headers = answer.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    answer
}
