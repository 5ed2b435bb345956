use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::text::excerpt;
use serde_json::value::RawValue;

use crate::error::{CodecError, DocumentError};
use crate::json::{Bounded, Flat, JsonWriter, Limit, ReadError, Token, Value};
use crate::settings::{Change, TraceChanges, TraceError, TraceLevel};

use super::document::{members, string};

/// Decodes the trace settings that a body changes. `permit` grows with the list of levels.
///
/// Source: `HTTPAPIServer::HandleTrace` in Triton 2.51.
///
/// # Errors
///
/// Returns [`CodecError::Document`] or [`CodecError::Trace`], or [`CodecError::Budget`] if the
/// memory cannot be reserved.
pub fn trace_changes(body: &[u8], permit: &mut MemoryPermit) -> Result<TraceChanges, CodecError> {
    let names = [
        "trace_file",
        "trace_level",
        "trace_rate",
        "trace_count",
        "log_frequency",
    ];
    let [file, level, rate, count, frequency] = members(body, names)?;
    if file.is_some() {
        return Err(TraceError::File.into());
    }
    let level = match level {
        None => Change::Keep,
        Some(value) if value.get() == "null" => Change::Clear,
        Some(value) => changed_level(&levels(value, permit)?)?,
    };
    Ok(TraceChanges {
        level,
        rate: change(rate, TraceChanges::parse_rate)?,
        count: change(count, |text| TraceChanges::parse_count(text, ""))?,
        log_frequency: change(frequency, TraceChanges::parse_frequency)?,
    })
}

fn change<T>(
    value: Option<&RawValue>,
    parse: impl Fn(&str) -> Result<T, TraceError>,
) -> Result<Change<T>, CodecError> {
    Ok(match value {
        None => Change::Keep,
        Some(value) if value.get() == "null" => Change::Clear,
        Some(value) => Change::Set(parse(&string(value)?)?),
    })
}

/// The maximum number of levels in a request. There are only three.
const LEVELS: Limit = Limit::new(64, "items");

fn levels(value: &RawValue, permit: &mut MemoryPermit) -> Result<Vec<String>, CodecError> {
    let kind = |kind| DocumentError::Kind { kind };
    if !value.get().starts_with('[') {
        return Err(kind("array").into());
    }
    let name = |token| match token {
        Ok(Token::String(text)) => Value::from_text(text).string(),
        _ => None,
    };
    let mut levels = Bounded::<Vec<_>>::new(LEVELS);
    for token in Flat::new(value.get(), 1) {
        let level = name(token).ok_or_else(|| kind("string"))?.into_owned();
        let pushed = levels.push(level, permit).map_err(ReadError::from);
        pushed.map_err(|error| match error {
            ReadError::Budget(error) => CodecError::from(error),
            ReadError::Json(error) => DocumentError::Json {
                message: excerpt(&error),
            }
            .into(),
        })?;
    }
    Ok(levels.into_items())
}

/// Combines levels with these names. Other names are ignored, as in Triton.
///
/// # Errors
///
/// Returns [`TraceError::Off`] if `OFF` is combined with others.
pub(crate) fn changed_level(names: &[String]) -> Result<Change<TraceLevel>, TraceError> {
    let mut change = Change::Keep;
    let mut level = TraceLevel::default();
    for name in names {
        match name.as_str() {
            "OFF" if names.len() > 1 => return Err(TraceError::Off),
            "OFF" => {}
            "TIMESTAMPS" => level.timestamps = true,
            "TENSORS" => level.tensors = true,
            _ => continue,
        }
        change = Change::Set(level);
    }
    Ok(change)
}

/// Creates the error of an unknown model.
pub fn unknown_model(name: &str) -> TraceError {
    TraceError::Model {
        model: excerpt(name),
    }
}

/// Encodes the trace settings as JSON: the level, and the others by name. A name may occur twice.
pub fn trace_settings_json(level: TraceLevel, values: &[(&str, String)]) -> Vec<u8> {
    let mut json = JsonWriter::default();
    json.object(|json| {
        json.name("trace_level")
            .array(level.names(), |json, name| json.text(name));
        for (name, value) in values {
            json.key(name).text(value);
        }
    });
    json.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMES: TraceLevel = TraceLevel {
        timestamps: true,
        tensors: false,
    };

    #[test]
    fn body_contains_the_changed_settings() {
        let table = [
            ("{}", TraceChanges::default()),
            ("[]", TraceChanges::default()),
            (
                r#"{"trace_level":["TIMESTAMPS"],"trace_rate":"5x","trace_count":"-1","log_frequency":"-1"}"#,
                TraceChanges {
                    level: Change::Set(TIMES),
                    rate: Change::Set(5),
                    count: Change::Set(-1),
                    log_frequency: Change::Set(u32::MAX),
                },
            ),
            (
                r#"{"trace_level":null,"trace_rate":null,"trace_count":null,"log_frequency":null}"#,
                TraceChanges {
                    level: Change::Clear,
                    rate: Change::Clear,
                    count: Change::Clear,
                    log_frequency: Change::Clear,
                },
            ),
            (
                r#"{"trace_level":["bogus"],"trace_mode":5}"#,
                TraceChanges::default(),
            ),
            (r#"{"trace_level":[]}"#, TraceChanges::default()),
        ];
        for (body, expected) in table {
            assert_eq!(
                trace_changes(body.as_bytes(), &mut MemoryPermit::unlimited()),
                Ok(expected),
                "{body}"
            );
        }
    }

    #[test]
    fn errors_have_tritons_texts() {
        let table = [
            (
                r#"{"trace_file":null}"#,
                "trace file location can not be updated through network protocol",
            ),
            (
                r#"{"trace_level":["OFF","TENSORS"]}"#,
                "Expect only one trace level 'OFF' is specified",
            ),
            (
                r#"{"trace_level":"OFF"}"#,
                "attempt to access JSON non-array as array",
            ),
            (
                r#"{"trace_level":[1]}"#,
                "attempt to access JSON non-string as string",
            ),
            (
                r#"{"trace_rate":1}"#,
                "attempt to access JSON non-string as string",
            ),
            (
                r#"{"trace_rate":"x"}"#,
                "Unable to parse 'trace_rate', got: x",
            ),
            (
                r#"{"trace_count":"99999999999"}"#,
                "Unable to parse 'trace_count', value is out of range [ -1, 2147483647 ], got: 99999999999",
            ),
            (
                r#"{"log_frequency":"99999999999"}"#,
                "Unable to parse 'log_frequency', value is out of range [ 0, 4294967295 ], got: 99999999999",
            ),
        ];
        for (body, expected) in table {
            let error = trace_changes(body.as_bytes(), &mut MemoryPermit::unlimited()).unwrap_err();
            assert_eq!(error.to_string(), expected, "{body}");
        }
    }

    #[test]
    fn settings_are_in_the_order_of_triton() {
        let values = [("trace_rate", "1000"), ("trace_mode", "triton")];
        let values = values.map(|(name, value)| (name, value.to_owned()));
        let json = trace_settings_json(TraceLevel::default(), &values);
        assert_eq!(
            String::from_utf8(json).unwrap(),
            r#"{"trace_level":["OFF"],"trace_rate":"1000","trace_mode":"triton"}"#
        );
    }

    #[test]
    fn off_excludes_other_levels() {
        let levels = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            changed_level(&names).ok().map(|change| match change {
                Change::Set(level) => Some((level.timestamps, level.tensors)),
                Change::Keep | Change::Clear => None,
            })
        };
        let table: [(&[&str], _); 7] = [
            (&[], Some(None)),
            (&["X"], Some(None)),
            (&["OFF"], Some(Some((false, false)))),
            (&["TIMESTAMPS"], Some(Some((true, false)))),
            (&["TENSORS", "X"], Some(Some((false, true)))),
            (&["TIMESTAMPS", "TENSORS"], Some(Some((true, true)))),
            (&["OFF", "X"], None),
        ];
        for (names, expected) in table {
            assert_eq!(levels(names), expected, "{names:?}");
        }
    }
}
