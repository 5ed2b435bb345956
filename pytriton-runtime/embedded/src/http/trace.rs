use axum::http::Method;
use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::received_body::ReceivedBody;
use pytriton_kserve::{CodecError, trace_changes, trace_settings_json, unknown_model};

use crate::service::{AppState, Error};

use super::response::{Failure, HttpResponse, JSON, held};

/// Changes the trace settings of a model or the server if requested, and returns them.
///
/// Source: `HTTPAPIServer::HandleTrace` in Triton 2.51.
pub(super) fn trace(
    app_state: &AppState,
    method: &Method,
    model: Option<&str>,
    mut body: ReceivedBody,
) -> Result<HttpResponse, Failure> {
    let (body, permit) = body.parts();
    let settings = settings(app_state, method, model, (body, permit));
    let settings = settings.map_err(|error| Failure::json(Error::from(error)))?;
    held(app_state, JSON, settings)
}

fn settings(
    app_state: &AppState,
    method: &Method,
    model: Option<&str>,
    (body, permit): (&[u8], &mut MemoryPermit),
) -> Result<Vec<u8>, CodecError> {
    let models = &app_state.models;
    if let Some(name) = model.filter(|name| models.versions(name).is_empty()) {
        return Err(unknown_model(name).into());
    }
    let tracer = models.tracer();
    if method == Method::POST {
        tracer.update(model, &trace_changes(body, permit)?)?;
    }
    let settings = tracer.settings(model);
    Ok(trace_settings_json(settings.level, &settings.values()))
}
