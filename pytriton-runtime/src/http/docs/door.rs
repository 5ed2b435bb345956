use std::sync::Arc;

#[cfg(tritonserver)]
use axum::http::Request;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, ETAG, IF_NONE_MATCH,
    REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use bytes::Bytes;

use crate::heavy::by_weight;
use crate::model::ModelSpec;
use crate::openapi::{Doors, document};
use crate::reception::{Operation, Reception};

use super::super::HttpError;
use super::super::answer::{Answer, Failure, PLAIN, answer as answered, json};
#[cfg(tritonserver)]
use super::super::body::Body;
use super::super::metrics::models_text;
#[cfg(tritonserver)]
use super::super::router::check_head_bytes;
#[cfg(tritonserver)]
use super::Relay;
use super::page::PAGE;

const HTML: &str = "text/html; charset=utf-8";

/// How many bytes take as long to write as what is told of a model.
const MODEL: usize = 8 << 10;

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
    doors: &Arc<Doors>,
    parts: &Parts,
) -> Result<Answer, Failure> {
    Ok(match admitted(reception, parts)? {
        Route::Page => page(&parts.headers),
        Route::Document => {
            let models = reception.models.models();
            let models = models.iter().map(|model| Arc::clone(model.spec()));
            fresh(json(written(models.collect(), doors).await))
        }
        Route::Metrics => {
            let text = models_text(&reception.models).await;
            fresh(answered(StatusCode::OK, PLAIN, Bytes::from(text)))
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
            Route::Document => fresh(json(written(relay.loaded()?, &relay.doors).await)),
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
        _ => Err(Failure::plain(HttpError::Method)),
    }
}

async fn written(models: Vec<Arc<ModelSpec>>, doors: &Arc<Doors>) -> String {
    let doors = Arc::clone(doors);
    let write = move |models: &[Arc<ModelSpec>]| {
        document(models.iter().map(|spec| &**spec), &doors).to_string()
    };
    by_weight(models.len() * MODEL, move || write(&models)).await
}

fn page(headers: &HeaderMap) -> Answer {
    let known = headers.get_all(IF_NONE_MATCH).iter();
    let known = known.filter_map(|tags| tags.to_str().ok());
    let tag = PAGE.tag.to_str().unwrap_or_default();
    let mut tags = known.flat_map(|tags| tags.split(',')).map(str::trim);
    let is_known = tags.any(|known| known.trim_start_matches("W/") == tag);
    let accepted = headers
        .get(ACCEPT_ENCODING)
        .and_then(|names| names.to_str().ok());
    let mut names = accepted.unwrap_or_default().split(',').map(str::trim);
    let gzip = PAGE
        .gzip
        .as_ref()
        .filter(|_| names.any(|name| name == "gzip"));
    let (status, body) = match (is_known, gzip) {
        (true, _) => (StatusCode::NOT_MODIFIED, Bytes::new()),
        (false, Some(gzip)) => (StatusCode::OK, gzip.clone()),
        (false, None) => (StatusCode::OK, PAGE.html.clone()),
    };
    let mut answer = fresh(answered(status, HTML, body));
    let headers = answer.headers_mut();
    if gzip.is_some() && !is_known {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    headers.insert(CONTENT_SECURITY_POLICY, PAGE.policy.clone());
    headers.insert(ETAG, PAGE.tag.clone());
    for (name, value) in [
        (REFERRER_POLICY, "no-referrer"),
        (VARY, "accept-encoding"),
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
