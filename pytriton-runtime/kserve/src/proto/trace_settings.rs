use std::collections::BTreeMap;

use pytriton_protocol::proto::trace_setting_response::SettingValue;
use pytriton_protocol::proto::{TraceSettingRequest, TraceSettingResponse};

use crate::rest::trace_settings::changed_level;
use crate::settings::{Change, TraceChanges, TraceError, TraceLevel};

/// Decodes the trace settings that a request changes.
///
/// Source: `CommonHandler::RegisterTrace` in Triton 2.51.
///
/// # Errors
///
/// Returns a [`TraceError`] if a setting is invalid or has several values.
pub fn trace_changes(request: &TraceSettingRequest) -> Result<TraceChanges, TraceError> {
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

/// Encodes the trace settings: the level, and the others by name. The values of a name that occurs
/// several times become a list.
pub fn trace_settings(
    level: TraceLevel,
    values: impl IntoIterator<Item = (&'static str, String)>,
) -> TraceSettingResponse {
    let levels = level.names().into_iter().map(str::to_owned);
    let mut settings = BTreeMap::new();
    let level = SettingValue {
        value: levels.collect(),
    };
    settings.insert("trace_level".to_owned(), level);
    for (name, value) in values {
        let setting: &mut SettingValue = settings.entry(name.to_owned()).or_default();
        setting.value.push(value);
    }
    TraceSettingResponse { settings }
}

#[cfg(test)]
mod tests {
    use pytriton_protocol::proto::trace_setting_request::SettingValue as RequestedValue;

    use super::*;

    const TIMES: TraceLevel = TraceLevel {
        timestamps: true,
        tensors: false,
    };

    fn changes(settings: &[(&str, &[&str])]) -> Result<TraceChanges, String> {
        let settings = settings.iter().map(|(name, values)| {
            let value = values.iter().map(|value| (*value).to_owned()).collect();
            ((*name).to_owned(), RequestedValue { value })
        });
        let request = TraceSettingRequest {
            settings: settings.collect(),
            model_name: String::new(),
        };
        trace_changes(&request).map_err(|error| error.to_string())
    }

    #[test]
    fn a_setting_is_kept_cleared_or_set() {
        let none: &[&str] = &[];
        assert_eq!(changes(&[]), Ok(TraceChanges::default()));
        assert_eq!(
            changes(&[
                ("trace_level", none),
                ("trace_rate", none),
                ("trace_count", &["5"])
            ]),
            Ok(TraceChanges {
                level: Change::Clear,
                rate: Change::Clear,
                count: Change::Set(5),
                log_frequency: Change::Keep,
            })
        );
        assert_eq!(
            changes(&[("trace_level", &["TIMESTAMPS"]), ("log_frequency", &["2"])]),
            Ok(TraceChanges {
                level: Change::Set(TIMES),
                log_frequency: Change::Set(2),
                ..TraceChanges::default()
            })
        );
    }

    #[test]
    fn errors_have_the_messages_of_triton() {
        let table: [(&str, &[&str], &str); 5] = [
            (
                "trace_file",
                &[],
                "trace file location can not be updated through network protocol",
            ),
            (
                "trace_level",
                &["OFF", "TENSORS"],
                "Expect only one trace level 'OFF' is specified",
            ),
            (
                "trace_rate",
                &["1", "2"],
                "expect only 1 value for 'trace_rate'",
            ),
            (
                "log_frequency",
                &["x"],
                "Unable to parse 'log_frequency', got: x",
            ),
            (
                "trace_count",
                &["-2"],
                "Unable to parse 'trace_count'. Expecting value >= -1, got: -2",
            ),
        ];
        for (name, values, error) in table {
            assert_eq!(changes(&[(name, values)]), Err(error.to_owned()), "{name}");
        }
    }

    #[test]
    fn repeated_settings_are_a_list() {
        let values = [("resource", "a"), ("trace_rate", "1"), ("resource", "b")];
        let values = values.map(|(name, value)| (name, value.to_owned()));
        let settings = trace_settings(TIMES, values).settings.into_iter();
        let settings: Vec<_> = settings.map(|(name, value)| (name, value.value)).collect();
        let expected = [
            ("resource", vec!["a", "b"]),
            ("trace_level", vec!["TIMESTAMPS"]),
            ("trace_rate", vec!["1"]),
        ];
        let expected = expected.map(|(name, values)| {
            let values: Vec<_> = values.into_iter().map(str::to_owned).collect();
            (name.to_owned(), values)
        });
        assert_eq!(settings, expected);
    }
}
