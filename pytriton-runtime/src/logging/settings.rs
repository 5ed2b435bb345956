#[cfg(feature = "embedded")]
use thiserror::Error;

#[cfg(feature = "embedded")]
use crate::status::Status;

use super::LogFormat;

/// Which lines are logged, where to, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LogSettings {
    /// The file that has the lines; empty where standard error has them.
    #[cfg(feature = "embedded")]
    pub(crate) file: String,
    /// Whether information is logged.
    pub(crate) info: bool,
    /// Whether warnings are.
    pub(crate) warning: bool,
    /// Whether errors are.
    pub(crate) error: bool,
    /// 1 logs debug lines too, 2 and more trace lines.
    pub(crate) verbose: u32,
    /// The form of the lines.
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

/// One of the settings as it is to be from now on.
#[cfg(feature = "embedded")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogChange {
    Info(bool),
    Warning(bool),
    Error(bool),
    Verbose(u32),
    Format(LogFormat),
}

/// What turns a level on and off.
#[cfg(feature = "embedded")]
pub(crate) type LogSwitch = fn(bool) -> LogChange;

/// Why a setting of the log stays as it is. The texts are those of Triton 2.51 where it has one.
#[cfg(feature = "embedded")]
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LogError {
    /// Clients do not choose files.
    #[error("log file location can not be updated through network protocol")]
    File,
    /// A form of lines that there is not, as HTTP says it.
    #[error("invalid argument for --log_format, got: {got}")]
    Format {
        /// What came.
        got: String,
    },
    /// The same as gRPC says it.
    #[error("invalid argument for log_format, got: {got}")]
    FormatParameter {
        /// What came.
        got: String,
    },
    /// A setting of another type than it must have.
    #[error("expect {expected} for '{setting}'")]
    Kind {
        /// The setting.
        setting: &'static str,
        /// What it must be.
        expected: &'static str,
    },
    /// Lines of JSON, which whoever reads them relies on.
    #[error("the log has lines of JSON, whose form cannot be updated")]
    Json,
    /// The program has set up its log by itself.
    #[error("the log is the program's own: its settings cannot be updated")]
    Foreign,
}

#[cfg(feature = "embedded")]
impl LogError {
    /// What kind of failure this is.
    pub fn status(&self) -> Status {
        match self {
            Self::File | Self::Json | Self::Foreign => Status::Unsupported,
            Self::Format { .. } => Status::Unavailable,
            Self::FormatParameter { .. } | Self::Kind { .. } => Status::InvalidArgument,
        }
    }
}
