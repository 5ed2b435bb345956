use pytriton_kserve::configuration::{BACKEND, configuration};
use pytriton_kserve::{metadata_json, ready_json, statistics_json};

use crate::service::AppState;

use super::HttpError;
use super::response::{Failure, HttpResponse, JSON, held};

pub(super) fn metadata(
    app_state: &AppState,
    name: &str,
    version: Option<&str>,
) -> Result<HttpResponse, Failure> {
    let (model, versions) = app_state.described(name, version).map_err(Failure::json)?;
    held(app_state, JSON, metadata_json(model.spec(), &versions))
}

pub(super) fn config(
    app_state: &AppState,
    name: &str,
    version: Option<&str>,
) -> Result<HttpResponse, Failure> {
    let model = app_state.model(name, version).map_err(Failure::json)?;
    let policy = app_state.models.version_policy(model.spec());
    let config = configuration(model.spec(), BACKEND, policy.as_ref());
    held(app_state, JSON, config.json())
}

pub(super) fn ready(
    app_state: &AppState,
    name: &str,
    version: Option<&str>,
) -> Result<HttpResponse, Failure> {
    match app_state.model_ready(name, version) {
        Ok(true) => held(app_state, JSON, ready_json(name)),
        Ok(false) => Err(Failure::plain(HttpError::NotReady)),
        Err(error) => Err(Failure::plain(error)),
    }
}

pub(super) fn statistics(
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
