use pytriton_kserve::{CodecError, TraceError, proto, unknown_model};
use pytriton_protocol::proto::{TraceSettingRequest, TraceSettingResponse};

use crate::service::{AppState, Error};
use crate::trace_extension::TraceSettings;

use super::GrpcError;

/// Changes the given trace settings of a model or the server, and returns all of them.
///
/// Source: `CommonHandler::RegisterTrace` in Triton 2.51.
pub(super) fn trace_setting(
    app_state: &AppState,
    request: &TraceSettingRequest,
) -> Result<TraceSettingResponse, GrpcError> {
    let settings = settings(app_state, request);
    let settings = settings.map_err(|error| Error::from(CodecError::from(error)))?;
    Ok(proto::trace_settings(settings.level, settings.values()))
}

fn settings(
    app_state: &AppState,
    request: &TraceSettingRequest,
) -> Result<TraceSettings, TraceError> {
    let models = &app_state.models;
    let model = Some(request.model_name.as_str()).filter(|name| !name.is_empty());
    if let Some(name) = model.filter(|name| models.versions(name).is_empty()) {
        return Err(unknown_model(name));
    }
    let tracer = models.tracer();
    if !request.settings.is_empty() {
        tracer.update(model, &proto::trace_changes(request)?)?;
    }
    Ok(tracer.settings(model))
}
