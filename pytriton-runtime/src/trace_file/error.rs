use thiserror::Error;

use crate::status::Status;

/// Why a setting of traces stays as it is. The texts are those of Triton 2.51.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TraceError {
    /// There is no model of that name.
    #[error("Request for unknown model : {model}")]
    Model {
        /// The name.
        model: String,
    },
    /// Clients do not choose files.
    #[error("trace file location can not be updated through network protocol")]
    File,
    /// No level beside others.
    #[error("Expect only one trace level 'OFF' is specified")]
    Off,
    /// Several values where there is room for one.
    #[error("expect only 1 value for '{setting}'")]
    Values {
        /// The setting.
        setting: &'static str,
    },
    /// What is no number.
    #[error("Unable to parse '{setting}', got: {got}")]
    Number {
        /// The setting.
        setting: &'static str,
        /// What came.
        got: String,
    },
    /// A number that is too large.
    #[error("Unable to parse '{setting}', value is out of range [ {least}, {most} ], got: {got}")]
    Range {
        /// The setting.
        setting: &'static str,
        /// The smallest.
        least: i64,
        /// The largest.
        most: i64,
        /// What came.
        got: String,
    },
    /// A count below -1.
    #[error("Unable to parse 'trace_count'. Expecting value >= -1, got:{blank}{got}")]
    Count {
        /// What stands before the number.
        blank: &'static str,
        /// What came.
        got: String,
    },
    /// Traces that could go nowhere.
    #[error("Attempting to set invalid trace setting :trace file name is not given")]
    NoFile,
    /// One of no requests.
    #[error("Attempting to set invalid trace setting :sample rate must be non-zero")]
    NoRate,
}

impl TraceError {
    /// What kind of failure this is.
    pub fn status(&self) -> Status {
        match self {
            Self::File => Status::Unsupported,
            _ => Status::InvalidArgument,
        }
    }
}

/// Why there are no traces as `--trace-config` wants them.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TraceConfigError {
    /// An item that is no setting.
    #[error("--trace-config option format is '<trace mode>,<setting>=<value>'. Got {item}")]
    Format {
        /// The item.
        item: String,
    },
    /// A setting of no mode where a comma stands before it.
    #[error(
        "No trace mode specified. --trace-config option format is <trace mode>,<setting>=<value> or <setting>=<value>. Got {item}"
    )]
    Mode {
        /// The item.
        item: String,
    },
    /// A mode that there is not.
    #[error(
        "invalid value for trace mode option: {mode}. Available options are \"triton\" and \"opentelemetry\""
    )]
    UnknownMode {
        /// The mode.
        mode: String,
    },
    /// A level that there is not.
    #[error("invalid value for trace level option: {level}")]
    Level {
        /// The level.
        level: String,
    },
    /// A setting that is no number.
    #[error("--trace-config {setting}: Invalid option value. Got {got}")]
    Number {
        /// The setting.
        setting: String,
        /// Its value.
        got: String,
    },
    /// A setting that there is not.
    #[error(
        "--trace-config has no setting '{setting}': there are level, rate, count, mode, triton,file and triton,log-frequency"
    )]
    Setting {
        /// The setting.
        setting: String,
    },
    /// Spans that are sent elsewhere.
    #[error(
        "the embedded engine cannot honour --trace-config mode=opentelemetry: take mode=triton, or `--engine tritonserver`, which can"
    )]
    OpenTelemetry,
}
