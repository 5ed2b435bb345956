use std::sync::Arc;

use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, Request, StatusCode};

use crate::kserve::SERVER_METADATA;
use crate::service::{AppState, Error};

use super::answer::{Answer, Failure, server_json};
use super::body::Body;
use super::load::LoadFormat;
use super::route::{ModelAction, Route};
use super::{
    HttpError, TextModels, body, control, docs, generate, infer, logging, model, openai,
    shared_memory, trace,
};

/// Serves a request of the KServe v2 API with Triton's extensions.
pub(crate) async fn answer<B: Body>(app_state: &AppState, request: Request<B>) -> Answer {
    let (mut parts, body) = request.into_parts();
    answer_to(app_state, &mut parts, body).await
}

/// Like [`answer`], for a request that the connection owns. It is not moved on the way.
pub(crate) async fn answer_to<B: Body>(app_state: &AppState, parts: &mut Parts, body: B) -> Answer {
    match dispatch(app_state, parts, body).await {
        Ok(answer) => answer,
        Err(failure) => failure.into(),
    }
}

async fn dispatch<B: Body>(
    app_state: &AppState,
    parts: &mut Parts,
    body: B,
) -> Result<Answer, Failure> {
    check_head_bytes(parts, app_state).map_err(Failure::plain)?;
    if openai::is_route(parts.uri.path()) && openai::has_texts(&app_state.models) {
        let models = TextModels::Here(Arc::clone(&app_state.models));
        return Ok(Box::pin(openai::answer(app_state, &models, parts, body)).await);
    }
    let Parts {
        uri,
        method,
        headers,
        ..
    } = parts;
    let Some(route) = Route::parse(uri.path()) else {
        return match &app_state.docs {
            Some(routes) if docs::is_route(uri.path()) => {
                Box::pin(docs::answer(app_state, routes, parts)).await
            }
            _ => Err(Failure::plain(HttpError::NotFound)),
        };
    };
    if let Err(restricted) = app_state.admit(route.operation(), headers) {
        Box::pin(body::discard(body, headers, app_state)).await;
        return Err(Failure::plain(restricted));
    }
    let allowed = route.methods();
    if !allowed.contains(method) {
        let error = HttpError::Method { allowed };
        return Err(match route.has_plain_errors() {
            true => Failure::plain(error),
            false => Failure::json(error),
        });
    }
    match route {
        Route::Model {
            name,
            version,
            action,
        } if action.is_inference() => {
            inference(app_state, (name, version), action, headers, body).await
        }
        // Boxed, so that the future of frequent routes is not as large as that of all others.
        route => Box::pin(others(app_state, route, (method, headers), body)).await,
    }
}

/// Serves an inference request, and adds the load of the model if requested.
async fn inference<B: Body>(
    app_state: &AppState,
    (name, version): (&str, Option<&str>),
    action: ModelAction,
    headers: &mut HeaderMap,
    body: B,
) -> Result<Answer, Failure> {
    let load = LoadFormat::of(headers);
    let mut answer = match action {
        ModelAction::Generate => {
            Box::pin(generate::generate(app_state, name, version, headers, body)).await?
        }
        ModelAction::GenerateStream => {
            let answer = generate::generate_stream(app_state, name, version, headers, body);
            Box::pin(answer).await?
        }
        _ => infer::infer(app_state, name, version, headers, body).await?,
    };
    if let Some(load) = load
        && let Ok(model) = app_state.model(name, version)
    {
        load.write_header(&mut answer, &model);
    }
    Ok(answer)
}

/// The memory needed per byte of a request to the server itself: a parser copies member names, and
/// strings are copied once.
pub(super) const READ_BYTES_PER_BYTE: usize = 5;

/// Serves all other routes.
async fn others<B: Body>(
    app_state: &AppState,
    route: Route<'_>,
    (method, headers): (&Method, &mut HeaderMap),
    body: B,
) -> Result<Answer, Failure> {
    let read = async |body| {
        let read = body::read(body, headers, app_state, None).await;
        let (body, mut permit) = read.map_err(Failure::json)?;
        let reserved = permit.grow(READ_BYTES_PER_BYTE * body.len());
        reserved.map_err(|error| Failure::json(Error::from(error)))?;
        Ok::<_, Failure>((body, permit))
    };
    match route {
        Route::ServerMetadata => Ok(server_json(SERVER_METADATA.to_json())),
        Route::ServerLive => Ok(healthy("live", app_state.live())),
        Route::ServerReady => Ok(healthy("ready", app_state.ready())),
        Route::AllStatistics => model::statistics(app_state, None, None),
        Route::RepositoryIndex => {
            let (body, _held) = read(body).await?;
            control::index(app_state, &body)
        }
        Route::Load { repository, name } => {
            let (body, mut permit) = read(body).await?;
            control::load(app_state, repository, name, &body, &mut permit).await
        }
        Route::Unload { repository, name } => {
            read(body).await?;
            control::unload(app_state, repository, name).await
        }
        Route::Logging => {
            let (body, _held) = read(body).await?;
            logging::logging(method, &body)
        }
        Route::TraceSetting { model } => {
            let (body, _held) = read(body).await?;
            trace::trace(app_state, method, model, &body)
        }
        Route::SharedMemory {
            kind,
            region,
            action,
        } => {
            let (body, _held) = read(body).await?;
            shared_memory::shared_memory(app_state, kind, region, action, &body)
        }
        Route::Model {
            name,
            version,
            action,
        } => match action {
            ModelAction::Metadata => model::metadata(app_state, name, version),
            ModelAction::Ready => model::ready(app_state, name, version),
            ModelAction::Config => model::config(app_state, name, version),
            ModelAction::Statistics => model::statistics(app_state, Some(name), version),
            inferred => inference(app_state, (name, version), inferred, headers, body).await,
        },
    }
}

/// Refuses paths and headers that are too long, or too many headers.
pub(super) fn check_head_bytes(parts: &Parts, app_state: &AppState) -> Result<(), HttpError> {
    let limit = app_state.limits.max_headers;
    if parts.headers.len() > limit {
        return Err(HttpError::Headers { limit });
    }
    let limit = app_state.limits.max_header_bytes;
    match head_bytes(parts) > limit {
        true => Err(HttpError::HeadTooLarge { limit }),
        false => Ok(()),
    }
}

/// Returns the size of the path and the headers in bytes.
fn head_bytes(parts: &Parts) -> usize {
    let path = parts
        .uri
        .path_and_query()
        .map_or(0, |path| path.as_str().len());
    let headers = parts.headers.iter();
    let headers: usize = headers
        .map(|(name, value)| name.as_str().len() + value.len())
        .sum();
    path + headers
}

/// Creates a health response. KServe clients read the body, others use the status.
fn healthy(what: &str, healthy: bool) -> Answer {
    let mut response = server_json(format!("{{\"{what}\":{healthy}}}"));
    if !healthy {
        *response.status_mut() = StatusCode::BAD_REQUEST;
    }
    response
}
