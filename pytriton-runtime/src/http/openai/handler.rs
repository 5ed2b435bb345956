use std::sync::LazyLock;
use std::time::{SystemTime, UNIX_EPOCH};

use axum::http::request::Parts;
use axum::http::{Method, Request};

use crate::model::Surface;
use crate::openai::{OpenAiError, list_json, model_json};
use crate::service::{AppState, Operation};
use crate::text::excerpt;

use super::super::HttpError;
use super::super::answer::{Answer, server_json};
use super::super::body::Body;
use super::super::route::{GET, POST};
use super::TextModels;
use super::accepted::ask;
use super::complete::complete;
use super::error_response::refused;
use super::streamed::streamed;

/// The creation time of all models that these routes report.
static SINCE: LazyLock<u64> = LazyLock::new(now);

/// The routes.
enum Route<'a> {
    List,
    Model(&'a str),
    Ask(Surface),
}

/// Returns whether the path belongs to the OpenAI API.
pub(crate) fn is_route(path: &str) -> bool {
    path.starts_with("/v1/")
}

/// Serves an OpenAI route. Returns the body if no model has such routes.
pub(crate) async fn answer<B: Body>(
    app_state: &AppState,
    models: &TextModels,
    parts: &Parts,
    body: B,
) -> Answer {
    let answered = dispatch(app_state, models, parts, body).await;
    answered.unwrap_or_else(|error| refused(&error))
}

/// Formats an error that is not specific to these routes.
pub(crate) fn refusal(error: HttpError) -> Answer {
    refused(&error.into())
}

/// Serves a port that has only OpenAI routes.
pub(crate) async fn answer_alone<B: Body>(
    app_state: &AppState,
    models: &TextModels,
    request: Request<B>,
) -> Answer {
    let (parts, body) = request.into_parts();
    match super::super::router::check_head_bytes(&parts, app_state) {
        Ok(()) => answer(app_state, models, &parts, body).await,
        Err(error) => refused(&error.into()),
    }
}

async fn dispatch<B: Body>(
    app_state: &AppState,
    models: &TextModels,
    parts: &Parts,
    body: B,
) -> Result<Answer, OpenAiError> {
    let (method, path) = (&parts.method, parts.uri.path());
    let named = || (excerpt(method), excerpt(path));
    let Some(route) = Route::parse(path) else {
        let (method, path) = named();
        return Err(OpenAiError::UnknownUrl { method, path });
    };
    if let Err(restricted) = app_state.admit(route.operation(), &parts.headers) {
        super::super::body::discard(body, &parts.headers, app_state).await;
        return Err(HttpError::from(restricted).into());
    }
    let allowed = route.methods();
    if !allowed.contains(method) {
        let (method, path) = named();
        return Err(OpenAiError::Method {
            method,
            path,
            allowed,
        });
    }
    match route {
        Route::List => {
            let names = models.names()?;
            let names = names.iter().map(|name| &**name);
            Ok(server_json(list_json(names, *SINCE)))
        }
        Route::Model(name) => match models.find(name)? {
            Some(spec) => Ok(server_json(model_json(&spec.name, *SINCE))),
            None => Err(OpenAiError::UnknownModel {
                model: excerpt(name),
            }),
        },
        Route::Ask(surface) => {
            let asked = ask(app_state, models, surface, &parts.headers, body).await?;
            match asked.stream {
                true => streamed(asked).await,
                false => complete(asked).await,
            }
        }
    }
}

impl<'a> Route<'a> {
    fn parse(path: &'a str) -> Option<Self> {
        let path = path.strip_prefix("/v1/")?;
        match path {
            "models" => return Some(Self::List),
            "completions" => return Some(Self::Ask(Surface::Completions)),
            "chat/completions" => return Some(Self::Ask(Surface::Chat)),
            _ => {}
        }
        let name = path.strip_prefix("models/")?;
        (!name.is_empty() && !name.contains('/')).then_some(Self::Model(name))
    }

    fn operation(&self) -> Operation {
        match self {
            Self::List | Self::Model(_) => Operation::DescribeModels,
            Self::Ask(_) => Operation::Complete,
        }
    }

    fn methods(&self) -> &'static [Method] {
        match self {
            Self::Ask(_) => POST,
            _ => GET,
        }
    }
}

/// Returns the time in seconds since 1970.
pub(super) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
