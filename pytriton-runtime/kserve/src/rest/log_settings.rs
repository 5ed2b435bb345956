use pytriton_core::text::excerpt;
use serde_json::value::RawValue;

use crate::error::{CodecError, DocumentError};
use crate::json::{JsonWriter, Value};
use crate::settings::{LogChange, LogError, LogFormat, LogSettings, LogSwitch};

use super::document::{members, string, unsigned};

/// Decodes the log settings that a body changes, and applies each one immediately. Settings before
/// an invalid one are therefore changed.
///
/// Source: `HTTPAPIServer::HandleLogging` in Triton 2.51.
///
/// # Errors
///
/// Returns [`CodecError::Document`] or [`CodecError::Log`], which may come from `update`.
pub fn change_log(
    body: &[u8],
    mut update: impl FnMut(LogChange) -> Result<(), LogError>,
) -> Result<(), CodecError> {
    let names = [
        "log_file",
        "log_info",
        "log_warning",
        "log_error",
        "log_verbose_level",
        "log_format",
    ];
    let members = members(body, names)?.map(|value| value.filter(|value| value.get() != "null"));
    let [file, info, warning, error, verbose, format] = members;
    if file.is_some() {
        return Err(LogError::File.into());
    }
    let switches: [(_, LogSwitch); 3] = [
        (info, LogChange::Info),
        (warning, LogChange::Warning),
        (error, LogChange::Error),
    ];
    for (value, change) in switches {
        if let Some(value) = value {
            update(change(boolean(value)?))?;
        }
    }
    if let Some(value) = verbose {
        let kind = "unsigned-integer";
        let level = u32::try_from(unsigned(value)?).map_err(|_| DocumentError::Kind { kind })?;
        update(LogChange::Verbose(level))?;
    }
    if let Some(value) = format {
        let name = string(value)?;
        let format = log_format(&name).ok_or_else(|| LogError::Format {
            got: excerpt(&name),
        })?;
        update(LogChange::Format(format))?;
    }
    Ok(())
}

fn boolean(value: &RawValue) -> Result<bool, DocumentError> {
    let kind = "boolean";
    Value::new(value)
        .boolean()
        .ok_or(DocumentError::Kind { kind })
}

/// Returns the log format with this name.
pub(crate) fn log_format(name: &str) -> Option<LogFormat> {
    match name {
        "default" => Some(LogFormat::Human),
        "ISO8601" => Some(LogFormat::Iso8601),
        _ => None,
    }
}

/// Returns the name of a log format.
pub(crate) fn log_format_name(format: LogFormat) -> &'static str {
    match format {
        LogFormat::Human => "default",
        LogFormat::Iso8601 => "ISO8601",
        LogFormat::Json => "json",
    }
}

/// Encodes the log settings as JSON.
pub fn log_settings_json(settings: &LogSettings) -> Vec<u8> {
    let mut json = JsonWriter::default();
    json.object(|json| {
        json.name("log_file").text(&settings.file);
        json.name("log_info").boolean(settings.info);
        json.name("log_warning").boolean(settings.warning);
        json.name("log_error").boolean(settings.error);
        json.name("log_verbose_level").integer(settings.verbose);
        json.name("log_format")
            .text(log_format_name(settings.format));
    });
    json.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the changes of a body, followed by the error.
    fn changed(body: &str) -> (Vec<LogChange>, String) {
        let mut changes = Vec::new();
        let changed = change_log(body.as_bytes(), |change| {
            changes.push(change);
            Ok(())
        });
        let error = changed.err().map(|error| error.to_string());
        (changes, error.unwrap_or_default())
    }

    #[test]
    fn settings_change_one_after_the_other() {
        use LogChange::{Error, Format, Info, Verbose, Warning};

        let boolean = "attempt to access JSON non-boolean as boolean";
        let unsigned = "attempt to access JSON non-unsigned-integer as unsigned-integer";
        let table: [(&str, &[LogChange], &str); 13] = [
            ("{}", &[], ""),
            ("[]", &[], ""),
            (r#"{"x":1,"log_info":null}"#, &[], ""),
            (
                r#"{"log_format":"ISO8601","log_verbose_level":3,"log_error":true,"log_warning":false,"log_info":false,"log_file":null}"#,
                &[
                    Info(false),
                    Warning(false),
                    Error(true),
                    Verbose(3),
                    Format(LogFormat::Iso8601),
                ],
                "",
            ),
            (
                r#"{"log_format":"default"}"#,
                &[Format(LogFormat::Human)],
                "",
            ),
            (
                r#"{"log_file":"x","log_info":false}"#,
                &[],
                "log file location can not be updated through network protocol",
            ),
            (
                r#"{"log_info":false,"log_warning":1}"#,
                &[Info(false)],
                boolean,
            ),
            (r#"{"log_info":"true"}"#, &[], boolean),
            (
                r#"{"log_error":true,"log_verbose_level":-1}"#,
                &[Error(true)],
                unsigned,
            ),
            (r#"{"log_verbose_level":"1"}"#, &[], unsigned),
            (r#"{"log_verbose_level":4294967299}"#, &[], unsigned),
            (
                r#"{"log_format":1}"#,
                &[],
                "attempt to access JSON non-string as string",
            ),
            (
                r#"{"log_format":"bogus"}"#,
                &[],
                "invalid argument for --log_format, got: bogus",
            ),
        ];
        for (body, changes, error) in table {
            assert_eq!(
                changed(body),
                (changes.to_vec(), error.to_owned()),
                "{body}"
            );
        }
    }

    #[test]
    fn settings_are_in_the_order_of_triton() {
        let json = log_settings_json(&LogSettings::default());
        assert_eq!(
            String::from_utf8(json).unwrap(),
            r#"{"log_file":"","log_info":true,"log_warning":true,"log_error":true,"log_verbose_level":0,"log_format":"default"}"#
        );
    }
}
