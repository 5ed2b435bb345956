use pytriton_engine::trace::TracesError;
use thiserror::Error;

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
