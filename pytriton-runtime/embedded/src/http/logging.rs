use axum::http::Method;
use pytriton_engine::logging::{settings, update};
use pytriton_kserve::{change_log, log_settings_json};

use crate::service::{AppState, Error};

use super::response::{Failure, HttpResponse, JSON, held};

/// Changes the log settings if requested, and returns them.
///
/// Source: `HTTPAPIServer::HandleLogging` in Triton 2.51.
pub(super) fn logging(
    app_state: &AppState,
    method: &Method,
    body: &[u8],
) -> Result<HttpResponse, Failure> {
    if method == Method::POST {
        let changed = change_log(body, update);
        changed.map_err(|error| Failure::json(Error::from(error)))?;
    }
    held(app_state, JSON, log_settings_json(&settings()))
}
