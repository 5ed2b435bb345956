use axum::http::StatusCode;
use pytriton_core::offload::by_weight;
use pytriton_core::received_body::ReceivedBody;
use pytriton_core::tracked_bytes::TrackedBytes;
use pytriton_kserve::{
    CodecError, IndexLine, LoadParameterError, decode_index_request, decode_load_request,
    index_json,
};

use crate::repository::ControlError;
use crate::service::{AppState, Error};

use super::response::{Failure, HttpResponse, JSON, held, respond};

/// Returns the repository index.
pub(super) fn index(app_state: &AppState, body: &[u8]) -> Result<HttpResponse, Failure> {
    let only_ready =
        decode_index_request(body).map_err(|error| Failure::json(Error::from(error)))?;
    let index = app_state.models.index(only_ready);
    let lines = index.iter().map(|entry| {
        let version = entry.version.as_ref();
        IndexLine {
            name: &entry.name,
            version: version.map(|version| (version.number, version.state, &*version.reason)),
        }
    });
    held(app_state, JSON, index_json(lines))
}

/// Loads a model.
pub(super) async fn load(
    app_state: &AppState,
    repository: Option<&str>,
    name: &str,
    mut body: ReceivedBody,
) -> Result<HttpResponse, Failure> {
    check_repository(repository)?;
    let length = body.len();
    let decode = move || {
        let (bytes, permit) = body.parts();
        let parameters = decode_load_request(bytes, permit)?;
        Ok((parameters, permit.take()))
    };
    let decoded = by_weight(length, decode).await;
    let (parameters, permit) = decoded.map_err(|flaw| match flaw {
        LoadParameterError::Body(CodecError::Budget(error)) => Failure::json(Error::from(error)),
        flaw => failure(malformed(flaw)),
    })?;
    done(app_state.load(name, parameters, permit).await)
}

/// Unloads a model. The body is ignored, because no model depends on others.
pub(super) fn unload(
    app_state: &AppState,
    repository: Option<&str>,
    name: &str,
) -> Result<HttpResponse, Failure> {
    check_repository(repository)?;
    done(app_state.models.unload_named(name).map_err(Error::from))
}

fn check_repository(repository: Option<&str>) -> Result<(), Failure> {
    match repository {
        None => Ok(()),
        Some(_) => Err(failure(ControlError::RepositoryName)),
    }
}

fn malformed(flaw: LoadParameterError) -> ControlError {
    let message = match flaw {
        LoadParameterError::Unknown(_) => {
            "unexpected error on creating Triton parameter".to_owned()
        }
        LoadParameterError::Kind(text) => text.to_owned(),
        LoadParameterError::Body(error) => error.to_string(),
    };
    ControlError::Body { message }
}

fn failure(error: ControlError) -> Failure {
    Failure::json(Error::from(error))
}

fn done(done: Result<(), Error>) -> Result<HttpResponse, Failure> {
    done.map_err(Failure::json)?;
    Ok(respond(StatusCode::OK, JSON, TrackedBytes::default()))
}
