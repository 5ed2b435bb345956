use axum::http::StatusCode;
use pytriton_core::tracked_bytes::TrackedBytes;
use pytriton_kserve::configuration::{BACKEND, configuration};
use pytriton_kserve::{InfoRoute, ServerMetadata, metadata_json, ready_json, statistics_json};

use crate::service::AppState;

use super::HttpError;
use super::response::{Failure, HttpResponse, JSON, held, json};

/// Responds with information about the server or a model.
pub(super) fn info(
    app_state: &AppState,
    route: InfoRoute,
    model: Option<&str>,
    version: Option<&str>,
) -> Result<HttpResponse, Failure> {
    let name = model.unwrap_or_default();
    match route {
        InfoRoute::ServerMetadata => {
            let metadata = ServerMetadata::named(&app_state.id);
            held(app_state, JSON, metadata.to_json())
        }
        InfoRoute::ServerLive => Ok(healthy("live", true)),
        InfoRoute::ServerReady => Ok(healthy("ready", app_state.models.ready())),
        InfoRoute::ModelMetadata => metadata(app_state, name, version),
        InfoRoute::ModelReady => ready(app_state, name, version),
        InfoRoute::ModelConfig => config(app_state, name, version),
        InfoRoute::ServerStatistics | InfoRoute::ModelStatistics => {
            statistics(app_state, model, version)
        }
    }
}

fn metadata(
    app_state: &AppState,
    name: &str,
    version: Option<&str>,
) -> Result<HttpResponse, Failure> {
    let (model, versions) = app_state.described(name, version).map_err(Failure::json)?;
    held(app_state, JSON, metadata_json(model.spec(), &versions))
}

fn config(
    app_state: &AppState,
    name: &str,
    version: Option<&str>,
) -> Result<HttpResponse, Failure> {
    let model = app_state.model(name, version).map_err(Failure::json)?;
    let policy = app_state.models.version_policy(model.spec());
    let config = configuration(model.spec(), BACKEND, policy.as_ref());
    held(app_state, JSON, config.json())
}

fn ready(app_state: &AppState, name: &str, version: Option<&str>) -> Result<HttpResponse, Failure> {
    match app_state.model_ready(name, version) {
        Ok(true) => held(app_state, JSON, ready_json(name)),
        Ok(false) => Err(Failure::plain(HttpError::NotReady)),
        Err(error) => Err(Failure::plain(error)),
    }
}

fn statistics(
    app_state: &AppState,
    name: Option<&str>,
    version: Option<&str>,
) -> Result<HttpResponse, Failure> {
    let models = app_state.counted(name, version).map_err(Failure::json)?;
    let entries = models
        .iter()
        .map(|model| (model.spec().as_ref(), model.statistics()));
    held(app_state, JSON, statistics_json(entries))
}

/// Creates a health response. KServe clients read the body, others use the status.
fn healthy(what: &str, healthy: bool) -> HttpResponse {
    let text = format!("{{\"{what}\":{healthy}}}");
    let mut response = json(TrackedBytes::short(text.as_bytes()));
    if !healthy {
        *response.status_mut() = StatusCode::BAD_REQUEST;
    }
    response
}
