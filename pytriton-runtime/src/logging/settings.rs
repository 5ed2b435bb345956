#[cfg(feature = "embedded")]
use thiserror::Error;

#[cfg(feature = "embedded")]
use crate::status::Status;

use super::LogFormat;

/// The settings of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LogSettings {
    /// The log file; empty for standard error.
    #[cfg(feature = "embedded")]
    pub(crate) file: String,
    /// Whether info lines are logged.
    pub(crate) info: bool,
    /// Whether warnings are logged.
    pub(crate) warning: bool,
    /// Whether errors are logged.
    pub(crate) error: bool,
    /// 1 also logs debug lines, 2 and more also trace lines.
    pub(crate) verbose: u32,
    /// The format of the lines.
    pub(crate) format: LogFormat,
}

impl Default for LogSettings {
    fn default() -> Self {
        Self {
            #[cfg(feature = "embedded")]
            file: String::new(),
            info: true,
            warning: true,
            error: true,
            verbose: 0,
            format: LogFormat::Human,
        }
    }
}

/// A change of one setting.
#[cfg(feature = "embedded")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogChange {
    Info(bool),
    Warning(bool),
    Error(bool),
    Verbose(u32),
    Format(LogFormat),
}

/// Enables or disables a level.
#[cfg(feature = "embedded")]
pub(crate) type LogSwitch = fn(bool) -> LogChange;

/// A setting of the log cannot be changed. The messages are those of Triton 2.51 if it has one.
#[cfg(feature = "embedded")]
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

#[cfg(feature = "embedded")]
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
