use std::ffi::OsStr;
use std::sync::Arc;

use pytriton_kserve::TraceLevel;

use super::collector::Collector;
use super::number::setting;
use super::{Destination, TraceConfigError, TraceSettings};

/// Parses the items of `--trace-config`.
///
/// Source: `TritonParser::ParseTraceConfigOption` and `SetTraceArgs` in Triton 2.51. Triton ignores
/// an unknown setting and a setting of the other mode; here both are errors.
///
/// # Errors
///
/// Returns a [`TraceConfigError`] that names the item.
pub fn trace_config<'a>(
    items: impl Iterator<Item = &'a OsStr>,
) -> Result<TraceSettings, TraceConfigError> {
    let mut items: Vec<_> = items
        .map(|item| Item::parse(&item.to_string_lossy()))
        .collect::<Result<_, _>>()?;
    let mut settings = TraceSettings::default();
    let mut mode = Mode::Triton;
    let mut off = false;
    for item in items.extract_if(.., |item| item.mode.is_none()) {
        let Item { name, value, .. } = &item;
        match name.as_str() {
            "mode" => mode = Mode::parse(value)?,
            "level" => off |= level(&mut settings.level, value)?,
            "rate" => settings.rate = setting(name, value)?,
            "count" => settings.count = setting(name, value)?,
            _ => {
                return Err(TraceConfigError::Setting { setting: item.name });
            }
        }
    }
    if off {
        settings.level = TraceLevel::default();
    }
    if let Some(item) = items.iter().find(|item| item.mode != Some(mode)) {
        return Err(TraceConfigError::OtherMode {
            setting: item.name.clone(),
            mode: mode.name(),
        });
    }
    let items: Vec<_> = items
        .into_iter()
        .map(|item| (item.name, item.value))
        .collect();
    match mode {
        Mode::Triton => file(&mut settings, items)?,
        Mode::OpenTelemetry if settings.level.tensors => return Err(TraceConfigError::Tensors),
        Mode::OpenTelemetry => {
            let collector = Collector::new(&items)?;
            settings.destination = Destination::Collector(Arc::new(collector));
        }
    }
    Ok(settings)
}

/// One setting, and the mode it belongs to.
struct Item {
    mode: Option<Mode>,
    name: String,
    value: String,
}

impl Item {
    fn parse(item: &str) -> Result<Self, TraceConfigError> {
        let owned = || item.to_owned();
        let Some((name, value)) = item.split_once('=') else {
            return Err(TraceConfigError::Format { item: owned() });
        };
        let (mode, name) = match name.split_once(',') {
            Some(("", _)) => return Err(TraceConfigError::Mode { item: owned() }),
            Some((mode, name)) => (Some(Mode::parse(mode)?), name),
            None => (None, name),
        };
        if name.is_empty() || value.is_empty() {
            return Err(TraceConfigError::Format { item: owned() });
        }
        Ok(Self {
            mode,
            name: name.to_owned(),
            value: value.to_owned(),
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Triton,
    OpenTelemetry,
}

impl Mode {
    fn parse(mode: &str) -> Result<Self, TraceConfigError> {
        match mode.to_ascii_lowercase().as_str() {
            "triton" => Ok(Self::Triton),
            "opentelemetry" => Ok(Self::OpenTelemetry),
            _ => Err(TraceConfigError::UnknownMode {
                mode: mode.to_owned(),
            }),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Triton => "triton",
            Self::OpenTelemetry => "opentelemetry",
        }
    }
}

/// Applies a level. Returns whether it disables all of them.
fn level(level: &mut TraceLevel, value: &str) -> Result<bool, TraceConfigError> {
    match value.to_ascii_lowercase().as_str() {
        "false" | "off" => return Ok(true),
        "true" | "on" | "min" | "max" | "timestamps" => level.timestamps = true,
        "tensors" => level.tensors = true,
        _ => {
            return Err(TraceConfigError::Level {
                level: value.to_owned(),
            });
        }
    }
    Ok(false)
}

fn file(
    settings: &mut TraceSettings,
    items: Vec<(String, String)>,
) -> Result<(), TraceConfigError> {
    for (name, value) in items {
        match name.as_str() {
            "file" => settings.destination = Destination::File(value),
            "log-frequency" => settings.log_frequency = setting(&name, &value)?,
            _ => {
                let setting = format!("triton,{name}");
                return Err(TraceConfigError::Setting { setting });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_trace_options_are_combined() {
        let items = [
            "level=TIMESTAMPS",
            "level=TENSORS",
            "rate=1",
            "count=5",
            "mode=Triton",
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
            destination: Destination::File("/tmp/a=b,c".to_owned()),
        };
        assert_eq!(settings, expected);
        assert_eq!(trace_config([].into_iter()), Ok(TraceSettings::default()));
    }

    #[test]
    fn off_takes_precedence_at_any_position() {
        for items in [["level=OFF", "level=TENSORS"], ["level=min", "level=false"]] {
            let settings = trace_config(items.iter().map(OsStr::new)).unwrap();
            assert!(settings.level.is_off(), "{items:?}");
        }
    }

    #[test]
    fn opentelemetry_mode_exports_to_a_collector() {
        let items = ["opentelemetry,url=http://x", "mode=OpenTelemetry", "rate=0"];
        let settings = trace_config(items.iter().map(OsStr::new)).unwrap();
        let reported = settings.values();
        let expected = [
            ("trace_rate", "0"),
            ("trace_count", "-1"),
            ("trace_mode", "opentelemetry"),
            ("url", "http://x"),
        ];
        let expected = expected.map(|(name, value)| (name, value.to_owned()));
        assert_eq!(reported[..4], expected);
        let table = [
            ("triton,file=x", "file does not apply to mode=opentelemetry"),
            ("level=TENSORS", "does not record tensors"),
        ];
        for (item, expected) in table {
            let items = ["mode=opentelemetry", item];
            let error = trace_config(items.iter().map(OsStr::new)).unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
        }
    }

    #[test]
    fn invalid_options_are_reported() {
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
                "opentelemetry,url=http://x",
                "url does not apply to mode=triton, which is the active mode",
            ),
            ("level=bogus", "invalid value for trace level option: bogus"),
            ("rate=abc", "Got abc"),
            ("triton,fiel=x", "has no setting 'triton,fiel'"),
            ("fiel=x", "has no setting 'fiel'"),
        ];
        for (item, expected) in table {
            let error = trace_config([OsStr::new(item)].into_iter())
                .unwrap_err()
                .to_string();
            assert!(error.contains(expected), "{item}: {error}");
        }
    }
}
