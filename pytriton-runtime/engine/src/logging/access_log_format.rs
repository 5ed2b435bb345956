use clap::builder::TypedValueParser;

use crate::arguments::named;

/// The format of the lines of the access log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AccessLogFormat {
    /// One line of text.
    Text,
    /// One JSON object per line.
    Json,
}

/// Returns the parser of the option for the format.
pub(crate) fn access_log_parser() -> impl TypedValueParser<Value = AccessLogFormat> {
    named(&[
        ("text", "One line of text", AccessLogFormat::Text),
        ("json", "One JSON object per line", AccessLogFormat::Json),
    ])
}
