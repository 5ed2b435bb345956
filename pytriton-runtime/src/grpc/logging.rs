use std::collections::BTreeMap;

use crate::kserve::{CodecError, LogChange, LogError, LogSwitch, log_format, log_format_name};
use crate::logging::{settings, update};
use crate::proto::log_settings_request::setting_value::ParameterChoice as Asked;
use crate::proto::log_settings_response::SettingValue;
use crate::proto::log_settings_response::setting_value::ParameterChoice as Setting;
use crate::proto::{LogSettingsRequest, LogSettingsResponse};
use crate::service::Error;
use crate::text::excerpt;

use super::GrpcError;

/// Changes the given log settings one after another, and returns all of them.
///
/// Source: `CommonHandler::RegisterLogging` in Triton 2.51.
pub(super) fn log_settings(request: &LogSettingsRequest) -> Result<LogSettingsResponse, GrpcError> {
    change(request).map_err(|error| Error::from(CodecError::from(error)))?;
    let settings = settings();
    let values = [
        ("log_file", Setting::StringParam(settings.file)),
        ("log_info", Setting::BoolParam(settings.info)),
        ("log_warning", Setting::BoolParam(settings.warning)),
        ("log_error", Setting::BoolParam(settings.error)),
        ("log_verbose_level", Setting::Uint32Param(settings.verbose)),
        (
            "log_format",
            Setting::StringParam(log_format_name(settings.format).to_owned()),
        ),
    ];
    let values = values.map(|(name, value)| {
        let parameter_choice = Some(value);
        (name.to_owned(), SettingValue { parameter_choice })
    });
    Ok(LogSettingsResponse {
        settings: BTreeMap::from(values),
    })
}

fn change(request: &LogSettingsRequest) -> Result<(), LogError> {
    let value = |setting| {
        let value = request.settings.get(setting)?;
        Some(value.parameter_choice.as_ref())
    };
    if value("log_file").is_some() {
        return Err(LogError::File);
    }
    let switches: [(_, LogSwitch); 3] = [
        ("log_info", LogChange::Info),
        ("log_warning", LogChange::Warning),
        ("log_error", LogChange::Error),
    ];
    let kind = |setting, expected| LogError::Kind { setting, expected };
    for (setting, change) in switches {
        match value(setting) {
            None => {}
            Some(Some(Asked::BoolParam(on))) => update(change(*on))?,
            Some(_) => return Err(kind(setting, "boolean")),
        }
    }
    match value("log_verbose_level") {
        None => {}
        Some(Some(Asked::Uint32Param(level))) => update(LogChange::Verbose(*level))?,
        Some(_) => return Err(kind("log_verbose_level", "int32")),
    }
    match value("log_format") {
        None => Ok(()),
        Some(Some(Asked::StringParam(name))) => {
            let format =
                log_format(name).ok_or_else(|| LogError::FormatParameter { got: excerpt(name) })?;
            update(LogChange::Format(format))
        }
        Some(_) => Err(kind("log_format", "string")),
    }
}
