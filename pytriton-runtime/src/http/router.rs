use std::sync::Arc;

use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, Request, StatusCode};

use crate::kserve::SERVER_METADATA;
use crate::reception::{Error, Reception};

use super::answer::{Answer, Failure, server_json};
use super::body::Body;
use super::load::LoadFormat;
use super::route::{ModelAction, Route};
use super::{
    HttpError, TextModels, body, control, docs, generate, infer, logging, model, openai,
    shared_memory, trace,
};

/// Serves a request of the KServe v2 API with Triton's extensions.
pub(crate) async fn answer<B: Body>(reception: &Reception, request: Request<B>) -> Answer {
    let (mut parts, body) = request.into_parts();
    answer_to(reception, &mut parts, body).await
}

/// Like [`answer`], for a request that the connection owns. It is not moved on the way.
pub(crate) async fn answer_to<B: Body>(
    reception: &Reception,
    parts: &mut Parts,
    body: B,
) -> Answer {
    match dispatch(reception, parts, body).await {
        Ok(answer) => answer,
        Err(failure) => failure.into(),
    }
}

async fn dispatch<B: Body>(
    reception: &Reception,
    parts: &mut Parts,
    body: B,
) -> Result<Answer, Failure> {
    check_head_bytes(parts, reception).map_err(Failure::plain)?;
    if openai::is_route(parts.uri.path()) && openai::has_texts(&reception.models) {
        let models = TextModels::Here(Arc::clone(&reception.models));
        return Ok(Box::pin(openai::answer(reception, &models, parts, body)).await);
    }
    let Parts {
        uri,
        method,
        headers,
        ..
    } = parts;
    let Some(route) = Route::parse(uri.path()) else {
        return match &reception.docs {
            Some(doors) if docs::is_route(uri.path()) => {
                Box::pin(docs::answer(reception, doors, parts)).await
            }
            _ => Err(Failure::plain(HttpError::NotFound)),
        };
    };
    if let Err(restricted) = reception.admit(route.operation(), headers) {
        Box::pin(body::discard(body, headers, reception)).await;
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
            inference(reception, (name, version), action, headers, body).await
        }
        // Boxed, so that the future of frequent routes is not as large as that of all others.
        route => Box::pin(others(reception, route, (method, headers), body)).await,
    }
}

/// Serves an inference request, and adds the load of the model if requested.
async fn inference<B: Body>(
    reception: &Reception,
    (name, version): (&str, Option<&str>),
    action: ModelAction,
    headers: &mut HeaderMap,
    body: B,
) -> Result<Answer, Failure> {
    let load = LoadFormat::of(headers);
    let mut answer = match action {
        ModelAction::Generate => {
            Box::pin(generate::generate(reception, name, version, headers, body)).await?
        }
        ModelAction::GenerateStream => {
            let answer = generate::generate_stream(reception, name, version, headers, body);
            Box::pin(answer).await?
        }
        _ => infer::infer(reception, name, version, headers, body).await?,
    };
    if let Some(load) = load
        && let Ok(model) = reception.model(name, version)
    {
        load.tell(&mut answer, &model);
    }
    Ok(answer)
}

/// The memory needed per byte of a request to the server itself: a parser copies member names, and
/// strings are copied once.
pub(super) const READ_BYTES_PER_BYTE: usize = 5;

/// Serves all other routes.
async fn others<B: Body>(
    reception: &Reception,
    route: Route<'_>,
    (method, headers): (&Method, &mut HeaderMap),
    body: B,
) -> Result<Answer, Failure> {
    let read = async |body| {
        let read = body::read(body, headers, reception, None).await;
        let (body, mut permit) = read.map_err(Failure::json)?;
        let reserved = permit.grow(READ_BYTES_PER_BYTE * body.len());
        reserved.map_err(|error| Failure::json(Error::from(error)))?;
        Ok::<_, Failure>((body, permit))
    };
    match route {
        Route::ServerMetadata => Ok(server_json(SERVER_METADATA.to_json())),
        Route::ServerLive => Ok(healthy("live", reception.live())),
        Route::ServerReady => Ok(healthy("ready", reception.ready())),
        Route::AllStatistics => model::statistics(reception, None, None),
        Route::RepositoryIndex => {
            let (body, _held) = read(body).await?;
            control::index(reception, &body)
        }
        Route::Load { repository, name } => {
            let (body, mut permit) = read(body).await?;
            control::load(reception, repository, name, &body, &mut permit).await
        }
        Route::Unload { repository, name } => {
            read(body).await?;
            control::unload(reception, repository, name).await
        }
        Route::Logging => {
            let (body, _held) = read(body).await?;
            logging::logging(method, &body)
        }
        Route::TraceSetting { model } => {
            let (body, _held) = read(body).await?;
            trace::trace(reception, method, model, &body)
        }
        Route::SharedMemory {
            kind,
            region,
            action,
        } => {
            let (body, _held) = read(body).await?;
            shared_memory::shared_memory(reception, kind, region, action, &body)
        }
        Route::Model {
            name,
            version,
            action,
        } => match action {
            ModelAction::Metadata => model::metadata(reception, name, version),
            ModelAction::Ready => model::ready(reception, name, version),
            ModelAction::Config => model::config(reception, name, version),
            ModelAction::Statistics => model::statistics(reception, Some(name), version),
            inferred => inference(reception, (name, version), inferred, headers, body).await,
        },
    }
}

/// Refuses paths and headers that are too long, or too many headers.
pub(super) fn check_head_bytes(parts: &Parts, reception: &Reception) -> Result<(), HttpError> {
    let limit = reception.limits.max_headers;
    if parts.headers.len() > limit {
        return Err(HttpError::Headers { limit });
    }
    let limit = reception.limits.max_header_bytes;
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
