use pytriton_core::status::Status;
use thiserror::Error;

/// A setting of the log cannot be changed. The messages are those of Triton 2.51 if it has one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LogError {
    /// Clients cannot choose files.
    #[error("log file location can not be updated through network protocol")]
    File,
    /// An unknown format, with the message for HTTP.
    #[error("invalid argument for --log_format, got: {got}")]
    Format {
        /// The value received.
        got: String,
    },
    /// An unknown format, with the message for gRPC.
    #[error("invalid argument for log_format, got: {got}")]
    FormatParameter {
        /// The value received.
        got: String,
    },
    /// A setting has the wrong type.
    #[error("expect {expected} for '{setting}'")]
    Kind {
        /// The setting.
        setting: &'static str,
        /// The expected type.
        expected: &'static str,
    },
    /// The log consists of JSON lines, which its readers rely on.
    #[error("the log format is JSON, which cannot be changed while the server runs")]
    Json,
    /// The program has set up logging itself.
    #[error("the program has its own log subscriber, so the log settings cannot be changed")]
    Foreign,
}

impl LogError {
    /// Returns the kind of the failure.
    pub fn status(&self) -> Status {
        match self {
            Self::File | Self::Json | Self::Foreign => Status::Unsupported,
            Self::Format { .. } => Status::Unavailable,
            Self::FormatParameter { .. } | Self::Kind { .. } => Status::InvalidArgument,
        }
    }
}
