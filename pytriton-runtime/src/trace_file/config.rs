use std::ffi::OsStr;

use super::{TraceConfigError, TraceSettings};

/// The settings that the items of `--trace-config` ask for.
///
/// Source: `TritonParser::ParseTraceConfigOption` and `SetTraceArgs` in Triton 2.51. A setting that it does not know it passes
/// over; here that is an error.
///
/// # Errors
///
/// A [`TraceConfigError`] that names the item.
pub fn trace_config<'a>(
    items: impl Iterator<Item = &'a OsStr>,
) -> Result<TraceSettings, TraceConfigError> {
    let mut settings = TraceSettings::default();
    for item in items {
        let item = item.to_string_lossy();
        apply(&mut settings, &item)?;
    }
    Ok(settings)
}

fn apply(settings: &mut TraceSettings, item: &str) -> Result<(), TraceConfigError> {
    let owned = || item.to_owned();
    let Some((name, value)) = item.split_once('=') else {
        return Err(TraceConfigError::Format { item: owned() });
    };
    let (mode, name) = match name.split_once(',') {
        Some(("", _)) => return Err(TraceConfigError::Mode { item: owned() }),
        Some((mode, name)) => (mode, name),
        None => ("", name),
    };
    if name.is_empty() || value.is_empty() {
        return Err(TraceConfigError::Format { item: owned() });
    }
    match (mode, name) {
        ("", "mode") => known(value)?,
        ("", "level") => level(settings, value)?,
        ("", "rate") => settings.rate = number(name, value)?,
        ("", "count") => settings.count = number(name, value)?,
        ("triton", "file") => value.clone_into(&mut settings.file),
        ("triton", "log-frequency") => settings.log_frequency = number(name, value)?,
        ("" | "triton", _) => {
            let setting = name.to_owned();
            return Err(TraceConfigError::Setting { setting });
        }
        (mode, _) => known(mode)?,
    }
    Ok(())
}

fn known(mode: &str) -> Result<(), TraceConfigError> {
    match mode {
        "triton" => Ok(()),
        "opentelemetry" => Err(TraceConfigError::OpenTelemetry),
        _ => Err(TraceConfigError::UnknownMode {
            mode: mode.to_owned(),
        }),
    }
}

fn level(settings: &mut TraceSettings, value: &str) -> Result<(), TraceConfigError> {
    let level = &mut settings.level;
    match value.to_ascii_lowercase().as_str() {
        "false" | "off" => *level = super::TraceLevel::default(),
        "true" | "on" | "min" | "max" | "timestamps" => level.timestamps = true,
        "tensors" => level.tensors = true,
        _ => {
            return Err(TraceConfigError::Level {
                level: value.to_owned(),
            });
        }
    }
    Ok(())
}

fn number<T: std::str::FromStr>(setting: &str, value: &str) -> Result<T, TraceConfigError> {
    value.parse().map_err(|_| TraceConfigError::Number {
        setting: setting.to_owned(),
        got: value.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace_file::TraceLevel;

    #[test]
    fn items_add_up() {
        let items = [
            "level=TIMESTAMPS",
            "level=TENSORS",
            "rate=1",
            "count=5",
            "mode=triton",
            "triton,file=/tmp/a=b,c",
            "triton,log-frequency=2",
        ];
        let settings = trace_config(items.iter().map(OsStr::new)).unwrap();
        let expected = TraceSettings {
            level: TraceLevel {
                timestamps: true,
                tensors: true,
            },
            rate: 1,
            count: 5,
            log_frequency: 2,
            file: "/tmp/a=b,c".to_owned(),
        };
        assert_eq!(settings, expected);
        assert_eq!(trace_config([].into_iter()), Ok(TraceSettings::default()));
    }

    #[test]
    fn mistakes_are_named() {
        let table = [
            (
                "x",
                "--trace-config option format is '<trace mode>,<setting>=<value>'. Got x",
            ),
            (",x=y", "No trace mode specified."),
            ("mode=bogus", "invalid value for trace mode option: bogus."),
            (
                "bogus,file=x",
                "invalid value for trace mode option: bogus.",
            ),
            (
                "mode=opentelemetry",
                "cannot honour --trace-config mode=opentelemetry",
            ),
            (
                "opentelemetry,url=http://x",
                "cannot honour --trace-config mode=opentelemetry",
            ),
            ("level=bogus", "invalid value for trace level option: bogus"),
            ("rate=abc", "Got abc"),
            ("triton,fiel=x", "has no setting 'fiel'"),
        ];
        for (item, expected) in table {
            let error = trace_config([OsStr::new(item)].into_iter())
                .unwrap_err()
                .to_string();
            assert!(error.contains(expected), "{item}: {error}");
        }
    }
}
