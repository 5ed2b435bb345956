use thiserror::Error;

use crate::status::Status;
use crate::trace::TracesError;

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
        "--trace-config has no setting '{setting}': there are level, rate, count, mode, triton,file, triton,log-frequency, opentelemetry,url, opentelemetry,resource, opentelemetry,bsp_max_queue_size, opentelemetry,bsp_schedule_delay and opentelemetry,bsp_max_export_batch_size"
    )]
    Setting {
        /// The setting.
        setting: String,
    },
    /// A setting of a mode in which traces are not.
    #[error("--trace-config {setting} is not for mode={mode}, which is the one that is in force")]
    OtherMode {
        /// The setting.
        setting: String,
        /// The mode.
        mode: &'static str,
    },
    /// Spans have no tensors.
    #[error("--trace-config level=TENSORS: tensors are not told in mode=opentelemetry")]
    Tensors,
    /// A collector that spans cannot be sent to.
    #[error(
        "--trace-config opentelemetry,url must begin with http://, as there is no TLS to the collector. Got {url}"
    )]
    Url {
        /// Where it is.
        url: String,
    },
    /// More spans than can be kept, or sent at a time.
    #[error(
        "--trace-config opentelemetry: batches of {batch} spans of {queue} that wait: expected 1 to 1048576 that wait, and no more in a batch"
    )]
    Batching {
        /// How many wait.
        queue: usize,
        /// How many are sent at a time.
        batch: usize,
    },
    /// Spans cannot be sent.
    #[error("--trace-config mode=opentelemetry: {0}")]
    Exporter(TracesError),
}
