use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};

use crate::kserve::{SERVER_METADATA, decode_index_request, index_json};
use crate::repository::Repository;
use crate::{Error, HeaderForward, Limits};

use super::answer::{Failure, fine, json};
use super::route::{ModelAction, Route};
use super::{HttpError, body, infer, model};

/// What the handlers share.
#[derive(Debug, Clone)]
pub struct HttpState {
    /// The models.
    pub repository: Arc<Repository>,
    /// The limits of a request.
    pub limits: Limits,
    /// Which headers become parameters of a request.
    pub forward: HeaderForward,
}

/// The KServe v2 API with Triton's extensions.
pub fn router(state: HttpState) -> Router {
    Router::new().fallback(handle).with_state(Arc::new(state))
}

async fn handle(State(state): State<Arc<HttpState>>, request: Request) -> Response {
    match dispatch(&state, request).await {
        Ok(response) => response,
        Err(failure) => failure.into_response(),
    }
}

async fn dispatch(state: &HttpState, request: Request) -> Result<Response, Failure> {
    let (parts, body) = request.into_parts();
    if head_bytes(&parts) > state.limits.max_header_bytes {
        return Err(Failure::plain(HttpError::HeadTooLarge {
            limit: state.limits.max_header_bytes,
        }));
    }
    let Some(route) = Route::parse(parts.uri.path()) else {
        return Err(Failure::plain(HttpError::NotFound));
    };
    if !route.methods().contains(&parts.method) {
        return Err(match route.has_plain_errors() {
            true => Failure::plain(HttpError::Method),
            false => Failure::json(HttpError::Method),
        });
    }
    let repository = &state.repository;
    match route {
        Route::ServerMetadata => Ok(json(SERVER_METADATA.to_json())),
        Route::ServerLive => Ok(healthy(repository.live())),
        Route::ServerReady => Ok(healthy(repository.ready())),
        Route::AllStatistics => model::all_statistics(repository),
        Route::RepositoryIndex => {
            let body = body::read(body, &parts.headers, state, None).await;
            index(repository, &body.map_err(Failure::json)?)
        }
        Route::Model {
            name,
            version,
            action,
        } => match action {
            ModelAction::Metadata => model::metadata(repository, name, version),
            ModelAction::Ready => model::ready(repository, name, version),
            ModelAction::Config => model::config(repository, name, version),
            ModelAction::Statistics => model::statistics(repository, name, version),
            ModelAction::Infer => infer::infer(state, name, version, &parts.headers, body).await,
            ModelAction::Generate => Err(Failure::json(HttpError::NotOffered {
                what: "the generate extension",
            })),
        },
        Route::NotOffered { what, .. } => Err(Failure::json(HttpError::NotOffered { what })),
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

fn healthy(healthy: bool) -> Response {
    let mut response = fine();
    if !healthy {
        *response.status_mut() = StatusCode::BAD_REQUEST;
    }
    response
}

fn index(repository: &Repository, body: &[u8]) -> Result<Response, Failure> {
    let only_ready =
        decode_index_request(body).map_err(|error| Failure::json(Error::from(error)))?;
    let models = repository
        .models()
        .map(|model| (model.spec().as_ref(), model.ready()))
        .filter(|(_, ready)| *ready || !only_ready);
    Ok(json(index_json(models)))
}
