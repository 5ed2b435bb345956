use std::sync::Arc;

#[cfg(tritonserver)]
use axum::http::Request;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};

use crate::reception::{Operation, Reception};

use super::super::HttpError;
use super::super::answer::{Answer, Failure, JSON, PLAIN, held};
#[cfg(tritonserver)]
use super::super::body::Body;
use super::super::metrics::models_text;
use super::super::route::GET;
#[cfg(tritonserver)]
use super::super::router::check_head_bytes;
#[cfg(tritonserver)]
use super::Relay;
use super::Written;
use super::page::PAGE;

const HTML: &str = "text/html; charset=utf-8";

/// What a path asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Route {
    Page,
    Document,
    /// What the page draws, which browsers let it not ask of another port.
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

    /// What is asked for by that; nothing where nothing is told.
    fn operations(self) -> &'static [Operation] {
        match self {
            Self::Page => &[],
            // What models are, and how they are configured.
            Self::Document => &[Operation::Document, Operation::ModelConfig],
            Self::Metrics => &[Operation::Statistics],
        }
    }
}

/// Whether a path is one of the page's.
pub(in crate::http) fn is_route(path: &str) -> bool {
    Route::parse(path).is_some()
}

/// Answers what the page is made of.
pub(in crate::http) async fn answer(
    reception: &Reception,
    written: &Written,
    parts: &Parts,
) -> Result<Answer, Failure> {
    Ok(match admitted(reception, parts)? {
        Route::Page => page(&parts.headers),
        Route::Document => {
            let models = reception.models.models();
            let models = models.iter().map(|model| Arc::clone(model.spec()));
            let document = written.of(models.collect()).await;
            fresh(document.answer(JSON, &parts.headers))
        }
        Route::Metrics => {
            let text = models_text(&reception.models).await;
            fresh(held(reception, PLAIN, text)?)
        }
    })
}

/// Answers the same of the models that a tritonserver serves, and hands on to it what the page tries.
#[cfg(tritonserver)]
pub(crate) async fn answer_beside<B: Body>(
    reception: &Reception,
    relay: &Relay,
    request: Request<B>,
) -> Answer {
    let (parts, body) = request.into_parts();
    let answered = async {
        check_head_bytes(&parts, reception).map_err(Failure::plain)?;
        if !is_route(parts.uri.path()) {
            return relay.hand_on(reception, &parts, body).await;
        }
        Ok(match admitted(reception, &parts)? {
            Route::Page => page(&parts.headers),
            Route::Document => {
                let document = relay.written.of(relay.loaded()?).await;
                fresh(document.answer(JSON, &parts.headers))
            }
            Route::Metrics => fresh(relay.metrics(reception).await?),
        })
    };
    answered.await.unwrap_or_else(Answer::from)
}

/// What is asked for, by somebody who may.
fn admitted(reception: &Reception, parts: &Parts) -> Result<Route, Failure> {
    let route = Route::parse(parts.uri.path());
    let route = route.ok_or_else(|| Failure::plain(HttpError::NotFound))?;
    for operation in route.operations() {
        let admitted = reception.admit(*operation, &parts.headers);
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

/// The same for nobody to keep unasked, or to take for something else.
fn fresh(mut answer: Answer) -> Answer {
    let headers = answer.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    answer
}
