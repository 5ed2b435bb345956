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

/// Answers a request of the KServe v2 API with Triton's extensions.
pub(crate) async fn answer<B: Body>(reception: &Reception, request: Request<B>) -> Answer {
    let (mut parts, body) = request.into_parts();
    answer_to(reception, &mut parts, body).await
}

/// The same of a request that its connection keeps: on the way through the rooms nothing of it is moved.
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
        // Apart, so that what is asked most need not carry what all else takes.
        route => Box::pin(others(reception, route, (method, headers), body)).await,
    }
}

/// Answers an inference, and says how busy its model is where that is asked for.
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

/// What is made of a byte of a request to the server itself: a parser copies names of members, and texts are copied once.
const READ_BYTES_PER_BYTE: usize = 5;

/// Answers whatever there is.
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

/// Refuses a path and headers that are too long, or too many.
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

/// The bytes of a request's path and headers.
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

/// What KServe's clients read; others look at the status.
fn healthy(what: &str, healthy: bool) -> Answer {
    let mut response = server_json(format!("{{\"{what}\":{healthy}}}"));
    if !healthy {
        *response.status_mut() = StatusCode::BAD_REQUEST;
    }
    response
}
