use std::str::FromStr;

use super::TraceConfigError;

/// Parses a numeric setting of `--trace-config`.
pub(super) fn setting<T: FromStr>(setting: &str, text: &str) -> Result<T, TraceConfigError> {
    text.parse().map_err(|_| TraceConfigError::Number {
        setting: setting.to_owned(),
        got: text.to_owned(),
    })
}
