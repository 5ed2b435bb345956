use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

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
    let values = [
        PossibleValue::new("text").help("One line of text"),
        PossibleValue::new("json").help("One JSON object per line"),
    ];
    PossibleValuesParser::new(values).map(|name| match name.as_str() {
        "json" => AccessLogFormat::Json,
        _ => AccessLogFormat::Text,
    })
}
