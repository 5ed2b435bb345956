use thiserror::Error;

use crate::status::Status;
use crate::trace::TracesError;

/// A trace setting cannot be changed. The messages are those of Triton 2.51.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TraceError {
    /// The model does not exist.
    #[error("Request for unknown model : {model}")]
    Model {
        /// The name.
        model: String,
    },
    /// Clients cannot choose files.
    #[error("trace file location can not be updated through network protocol")]
    File,
    /// `OFF` is combined with other levels.
    #[error("Expect only one trace level 'OFF' is specified")]
    Off,
    /// Several values for a setting that takes one.
    #[error("expect only 1 value for '{setting}'")]
    Values {
        /// The setting.
        setting: &'static str,
    },
    /// The value is not a number.
    #[error("Unable to parse '{setting}', got: {got}")]
    Number {
        /// The setting.
        setting: &'static str,
        /// The value received.
        got: String,
    },
    /// The number is out of range.
    #[error("Unable to parse '{setting}', value is out of range [ {least}, {most} ], got: {got}")]
    Range {
        /// The setting.
        setting: &'static str,
        /// The minimum.
        least: i64,
        /// The maximum.
        most: i64,
        /// The value received.
        got: String,
    },
    /// The count is below -1.
    #[error("Unable to parse 'trace_count'. Expecting value >= -1, got:{blank}{got}")]
    Count {
        /// The separator before the number.
        blank: &'static str,
        /// The value received.
        got: String,
    },
    /// Traces are enabled without a destination.
    #[error("Attempting to set invalid trace setting :trace file name is not given")]
    NoFile,
    /// The rate is zero.
    #[error("Attempting to set invalid trace setting :sample rate must be non-zero")]
    NoRate,
}

impl TraceError {
    /// Returns the kind of the failure.
    pub fn status(&self) -> Status {
        match self {
            Self::File => Status::Unsupported,
            _ => Status::InvalidArgument,
        }
    }
}

/// `--trace-config` is invalid.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TraceConfigError {
    /// An item is not a setting.
    #[error("--trace-config option format is '<trace mode>,<setting>=<value>'. Got {item}")]
    Format {
        /// The item.
        item: String,
    },
    /// A comma without a mode before it.
    #[error(
        "No trace mode specified. --trace-config option format is <trace mode>,<setting>=<value> or <setting>=<value>. Got {item}"
    )]
    Mode {
        /// The item.
        item: String,
    },
    /// An unknown mode.
    #[error(
        "invalid value for trace mode option: {mode}. Available options are \"triton\" and \"opentelemetry\""
    )]
    UnknownMode {
        /// The mode.
        mode: String,
    },
    /// An unknown level.
    #[error("invalid value for trace level option: {level}")]
    Level {
        /// The level.
        level: String,
    },
    /// The value of a setting is not a number.
    #[error("--trace-config {setting}: Invalid option value. Got {got}")]
    Number {
        /// The setting.
        setting: String,
        /// Its value.
        got: String,
    },
    /// An unknown setting.
    #[error(
        "--trace-config has no setting '{setting}': expected level, rate, count, mode, triton,file, triton,log-frequency, opentelemetry,url, opentelemetry,resource, opentelemetry,bsp_max_queue_size, opentelemetry,bsp_schedule_delay or opentelemetry,bsp_max_export_batch_size"
    )]
    Setting {
        /// The setting.
        setting: String,
    },
    /// A setting of a mode that is not active.
    #[error("--trace-config {setting} does not apply to mode={mode}, which is the active mode")]
    OtherMode {
        /// The setting.
        setting: String,
        /// The mode.
        mode: &'static str,
    },
    /// Spans do not contain tensors.
    #[error("--trace-config level=TENSORS: mode=opentelemetry does not record tensors")]
    Tensors,
    /// The address of the collector is not supported.
    #[error(
        "--trace-config opentelemetry,url must start with http://, because TLS to the collector is not supported. Got {url}"
    )]
    Url {
        /// The address.
        url: String,
    },
    /// The queue or the batch of spans is too large.
    #[error(
        "--trace-config opentelemetry: bsp_max_queue_size is {queue}, expected 1 to 1048576; bsp_max_export_batch_size is {batch}, expected 1 to bsp_max_queue_size"
    )]
    Batching {
        /// The size of the queue.
        queue: usize,
        /// The size of a batch.
        batch: usize,
    },
    /// Spans cannot be exported.
    #[error("--trace-config mode=opentelemetry: {0}")]
    Exporter(TracesError),
}
