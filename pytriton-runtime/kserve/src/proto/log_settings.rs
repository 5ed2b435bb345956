use std::collections::BTreeMap;

use pytriton_core::text::excerpt;
use pytriton_protocol::proto::log_settings_request::setting_value::ParameterChoice as Requested;
use pytriton_protocol::proto::log_settings_response::SettingValue;
use pytriton_protocol::proto::log_settings_response::setting_value::ParameterChoice as Setting;
use pytriton_protocol::proto::{LogSettingsRequest, LogSettingsResponse};

use crate::rest::log_settings::{log_format, log_format_name};
use crate::settings::{LogChange, LogError, LogSettings, LogSwitch};

/// Decodes the log settings that a request changes, and applies each one immediately. Settings
/// before an invalid one are therefore changed.
///
/// Source: `CommonHandler::RegisterLogging` in Triton 2.51.
///
/// # Errors
///
/// Returns a [`LogError`], which may come from `update`.
pub fn change_log(
    request: &LogSettingsRequest,
    mut update: impl FnMut(LogChange) -> Result<(), LogError>,
) -> Result<(), LogError> {
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
            Some(Some(Requested::BoolParam(on))) => update(change(*on))?,
            Some(_) => return Err(kind(setting, "boolean")),
        }
    }
    match value("log_verbose_level") {
        None => {}
        Some(Some(Requested::Uint32Param(level))) => update(LogChange::Verbose(*level))?,
        Some(_) => return Err(kind("log_verbose_level", "int32")),
    }
    match value("log_format") {
        None => Ok(()),
        Some(Some(Requested::StringParam(name))) => {
            let format =
                log_format(name).ok_or_else(|| LogError::FormatParameter { got: excerpt(name) })?;
            update(LogChange::Format(format))
        }
        Some(_) => Err(kind("log_format", "string")),
    }
}

/// Encodes the log settings.
pub fn log_settings(settings: LogSettings) -> LogSettingsResponse {
    let format = log_format_name(settings.format).to_owned();
    let values = [
        ("log_file", Setting::StringParam(settings.file)),
        ("log_info", Setting::BoolParam(settings.info)),
        ("log_warning", Setting::BoolParam(settings.warning)),
        ("log_error", Setting::BoolParam(settings.error)),
        ("log_verbose_level", Setting::Uint32Param(settings.verbose)),
        ("log_format", Setting::StringParam(format)),
    ];
    let values = values.map(|(name, value)| {
        let parameter_choice = Some(value);
        (name.to_owned(), SettingValue { parameter_choice })
    });
    LogSettingsResponse {
        settings: BTreeMap::from(values),
    }
}

#[cfg(test)]
mod tests {
    use pytriton_protocol::proto::log_settings_request::SettingValue as RequestedValue;

    use super::*;
    use crate::settings::LogFormat;

    /// Returns the changes of a request, followed by the error.
    fn changed(settings: &[(&str, Option<Requested>)]) -> (Vec<LogChange>, String) {
        let settings = settings.iter().map(|(name, value)| {
            let parameter_choice = value.clone();
            ((*name).to_owned(), RequestedValue { parameter_choice })
        });
        let request = LogSettingsRequest {
            settings: settings.collect(),
        };
        let mut changes = Vec::new();
        let changed = change_log(&request, |change| {
            changes.push(change);
            Ok(())
        });
        let error = changed.err().map(|error| error.to_string());
        (changes, error.unwrap_or_default())
    }

    #[test]
    fn settings_before_an_invalid_one_change() {
        use LogChange::{Error, Format, Info, Verbose, Warning};
        use Requested::{BoolParam, StringParam, Uint32Param};

        type Case<'a> = (&'a [(&'a str, Option<Requested>)], &'a [LogChange], &'a str);
        let format = |name: &str| ("log_format", Some(StringParam(name.to_owned())));
        let table: [Case<'_>; 9] = [
            (&[], &[], ""),
            (&[("other", None)], &[], ""),
            (
                &[
                    format("ISO8601"),
                    ("log_verbose_level", Some(Uint32Param(3))),
                    ("log_error", Some(BoolParam(true))),
                    ("log_warning", Some(BoolParam(false))),
                    ("log_info", Some(BoolParam(false))),
                ],
                &[
                    Info(false),
                    Warning(false),
                    Error(true),
                    Verbose(3),
                    Format(LogFormat::Iso8601),
                ],
                "",
            ),
            (&[format("default")], &[Format(LogFormat::Human)], ""),
            (
                &[("log_file", None), ("log_info", Some(BoolParam(false)))],
                &[],
                "log file location can not be updated through network protocol",
            ),
            (
                &[
                    ("log_info", Some(BoolParam(false))),
                    ("log_warning", Some(Uint32Param(1))),
                ],
                &[Info(false)],
                "expect boolean for 'log_warning'",
            ),
            (
                &[("log_verbose_level", Some(BoolParam(true)))],
                &[],
                "expect int32 for 'log_verbose_level'",
            ),
            (
                &[("log_format", None)],
                &[],
                "expect string for 'log_format'",
            ),
            (
                &[format("bogus")],
                &[],
                "invalid argument for log_format, got: bogus",
            ),
        ];
        for (settings, changes, error) in table {
            assert_eq!(
                changed(settings),
                (changes.to_vec(), error.to_owned()),
                "{settings:?}"
            );
        }
    }

    #[test]
    fn all_settings_are_encoded() {
        let response = log_settings(LogSettings {
            file: "f".to_owned(),
            warning: false,
            verbose: 2,
            format: LogFormat::Json,
            ..LogSettings::default()
        });
        let values = response.settings.into_iter();
        let values = values.map(|(name, value)| (name, value.parameter_choice.unwrap()));
        let expected = [
            ("log_error", Setting::BoolParam(true)),
            ("log_file", Setting::StringParam("f".to_owned())),
            ("log_format", Setting::StringParam("json".to_owned())),
            ("log_info", Setting::BoolParam(true)),
            ("log_verbose_level", Setting::Uint32Param(2)),
            ("log_warning", Setting::BoolParam(false)),
        ];
        let expected = expected.map(|(name, value)| (name.to_owned(), value));
        assert_eq!(values.collect::<Vec<_>>(), expected);
    }
}
