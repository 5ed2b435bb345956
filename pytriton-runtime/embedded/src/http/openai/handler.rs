use std::sync::LazyLock;

use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap};
use pytriton_core::model::Surface;
use pytriton_core::request::Identity;
use pytriton_core::text::excerpt;
use pytriton_kserve::openai::{OpenAiError, list_json, model_json};

use crate::service::routes::{OpenAiEndpoint, Params};
use crate::service::{AppState, Operation};

use super::super::HttpError;
use super::super::body::Body;
use super::super::response::{HttpResponse, json, reserved};
use super::TextModels;
use super::accepted::{ask, now};
use super::complete::complete;
use super::error_response::refused;
use super::streamed::streamed;
use super::vectors::vectors;

/// The creation time of all models that these routes report.
static SINCE: LazyLock<u64> = LazyLock::new(now);

/// Serves an OpenAI route.
pub(crate) async fn handle<B: Body>(
    app_state: &AppState,
    models: &TextModels,
    (endpoint, params): (OpenAiEndpoint, Params<'_>),
    (headers, extensions): (&HeaderMap, &Extensions),
    body: B,
) -> HttpResponse {
    let name = params.model.unwrap_or_default();
    let result = match endpoint {
        OpenAiEndpoint::List => list(app_state, models),
        OpenAiEndpoint::Model => model(app_state, models, name),
        OpenAiEndpoint::Complete(surface) => {
            let access_control = &app_state.access_control;
            let identity = access_control.identify(Operation::Complete, headers, extensions);
            let client = (headers, identity);
            match surface.generates_text() {
                true => completion(app_state, models, surface, client, body).await,
                false => vectors(app_state, models, client, body).await,
            }
        }
    };
    result.unwrap_or_else(|error| refused(&error))
}

/// Formats an error that is not specific to these routes.
pub(crate) fn refusal(error: HttpError, parts: &Parts) -> HttpResponse {
    let named = || (excerpt(&parts.method), excerpt(parts.uri.path()));
    refused(&match error {
        HttpError::NotFound => {
            let (method, path) = named();
            OpenAiError::UnknownUrl { method, path }
        }
        HttpError::Method { allowed } => {
            let (method, path) = named();
            OpenAiError::Method {
                method,
                path,
                allowed,
            }
        }
        error => error.into(),
    })
}

fn list(app_state: &AppState, models: &TextModels) -> Result<HttpResponse, OpenAiError> {
    let names = models.names()?;
    let names = names.iter().map(|name| &**name);
    Ok(json(reserved(app_state, list_json(names, *SINCE))?))
}

fn model(
    app_state: &AppState,
    models: &TextModels,
    name: &str,
) -> Result<HttpResponse, OpenAiError> {
    match models.find(name)? {
        Some(model) => {
            let name = &model.spec().name;
            Ok(json(reserved(app_state, model_json(name, *SINCE))?))
        }
        None => Err(OpenAiError::UnknownModel {
            model: excerpt(name),
        }),
    }
}

async fn completion<B: Body>(
    app_state: &AppState,
    models: &TextModels,
    surface: Surface,
    client: (&HeaderMap, Identity),
    body: B,
) -> Result<HttpResponse, OpenAiError> {
    let asked = ask(app_state, models, surface, client, body).await?;
    match asked.stream {
        true => streamed(asked).await,
        false => complete(asked).await,
    }
}
