use std::collections::BTreeMap;

use crate::kserve::{Change, CodecError, TraceChanges, TraceError, changed_level, unknown_model};
use crate::proto::trace_setting_response::SettingValue;
use crate::proto::{TraceSettingRequest, TraceSettingResponse};
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
    let levels = settings.level.names().into_iter().map(str::to_owned);
    let mut response_settings = BTreeMap::new();
    let level = SettingValue {
        value: levels.collect(),
    };
    response_settings.insert("trace_level".to_owned(), level);
    for (name, value) in settings.values() {
        let setting: &mut SettingValue = response_settings.entry(name.to_owned()).or_default();
        setting.value.push(value);
    }
    Ok(TraceSettingResponse {
        settings: response_settings,
    })
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
        tracer.update(model, &changes(request)?)?;
    }
    Ok(tracer.settings(model))
}

fn changes(request: &TraceSettingRequest) -> Result<TraceChanges, TraceError> {
    let values = |setting| {
        let value = request.settings.get(setting)?;
        Some(value.value.as_slice())
    };
    if values("trace_file").is_some() {
        return Err(TraceError::File);
    }
    let level = match values("trace_level") {
        None => Change::Keep,
        Some([]) => Change::Clear,
        Some(names) => changed_level(names)?,
    };
    let frequency = TraceChanges::parse_frequency;
    Ok(TraceChanges {
        level,
        rate: change("trace_rate", values, TraceChanges::parse_rate)?,
        count: change("trace_count", values, |text| {
            TraceChanges::parse_count(text, " ")
        })?,
        log_frequency: change("log_frequency", values, frequency)?,
    })
}

fn change<'a, T>(
    setting: &'static str,
    values: impl Fn(&'static str) -> Option<&'a [String]>,
    parse: impl Fn(&str) -> Result<T, TraceError>,
) -> Result<Change<T>, TraceError> {
    match values(setting) {
        None => Ok(Change::Keep),
        Some([]) => Ok(Change::Clear),
        Some([value]) => Ok(Change::Set(parse(value)?)),
        Some(_) => Err(TraceError::Values { setting }),
    }
}
