use std::fmt;
use std::path::PathBuf;

use pytriton_core::memory_budget::MemoryBudgetError;
use pytriton_core::status::Status;
use thiserror::Error;

/// Why Triton's core did not do what was requested.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CoreError {
    /// Triton's core or one of its backends returned an error.
    #[error("{message}")]
    Triton {
        /// The kind of error.
        code: Code,
        /// The message.
        message: String,
    },
    /// The memory of a response cannot be reserved.
    #[error(transparent)]
    Memory(#[from] MemoryBudgetError),
    /// A text contains a zero byte, which no text of Triton's API can contain.
    #[error("{what} contains a zero byte")]
    ZeroByte {
        /// The text.
        what: &'static str,
    },
    /// The request needs a feature that is not passed to Triton's core.
    #[error("{what} is not supported by the engine of Triton's core")]
    Unsupported {
        /// The feature.
        what: &'static str,
    },
    /// A response of a model is invalid.
    #[error("invalid response of the model: {reason}")]
    Response {
        /// The flaw.
        reason: String,
    },
    /// The process has a server already.
    #[error("this process has a server of Triton's core already, and can have only one")]
    Another,
    /// A model repository does not exist.
    #[error("the model repository {path} is not a folder", path = path.display())]
    Repository {
        /// The path.
        path: PathBuf,
    },
    /// The server has stopped, or is about to.
    #[error("the server is stopping")]
    Stopping,
    /// Requests were still running when the server had to stop.
    #[error("{requests} requests did not end within the exit timeout")]
    Unfinished {
        /// The number of these requests.
        requests: usize,
    },
}

/// The kind of an error of Triton.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// The cause is unknown.
    Unknown,
    /// The server or the model failed.
    Internal,
    /// The named object does not exist.
    NotFound,
    /// The request is invalid.
    InvalidArgument,
    /// The request cannot be served now.
    Unavailable,
    /// The requested feature is not supported.
    Unsupported,
    /// The named object exists already.
    AlreadyExists,
    /// The client cancelled the request.
    Cancelled,
}

impl CoreError {
    /// Returns the kind of failure, from which the HTTP status and the gRPC code follow.
    pub fn status(&self) -> Status {
        match self {
            Self::Triton { code, .. } => code.status(),
            Self::Memory(_) => Status::Exhausted,
            Self::ZeroByte { .. } => Status::InvalidArgument,
            Self::Unsupported { .. } => Status::Unsupported,
            Self::Another | Self::Repository { .. } | Self::Response { .. } => Status::Internal,
            Self::Stopping | Self::Unfinished { .. } => Status::Unavailable,
        }
    }
}

impl Code {
    /// Returns the code for Triton's number. New numbers are unknown.
    pub(crate) fn from_number(number: i32) -> Self {
        match number {
            1 => Self::Internal,
            2 => Self::NotFound,
            3 => Self::InvalidArgument,
            4 => Self::Unavailable,
            5 => Self::Unsupported,
            6 => Self::AlreadyExists,
            7 => Self::Cancelled,
            _ => Self::Unknown,
        }
    }

    /// Returns Triton's number.
    pub(crate) const fn number(self) -> i32 {
        self as i32
    }

    const fn status(self) -> Status {
        match self {
            Self::Unknown | Self::Internal => Status::Internal,
            Self::NotFound => Status::NotFound,
            Self::InvalidArgument => Status::InvalidArgument,
            Self::Unavailable => Status::Unavailable,
            Self::Unsupported => Status::Unsupported,
            Self::AlreadyExists => Status::AlreadyExists,
            Self::Cancelled => Status::Cancelled,
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unknown => "unknown error",
            Self::Internal => "internal error",
            Self::NotFound => "not found",
            Self::InvalidArgument => "invalid argument",
            Self::Unavailable => "unavailable",
            Self::Unsupported => "unsupported",
            Self::AlreadyExists => "already exists",
            Self::Cancelled => "cancelled",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_the_numbers_of_triton() {
        for number in 0..8 {
            assert_eq!(Code::from_number(number).number(), number);
        }
        assert_eq!(Code::from_number(8), Code::Unknown);
        assert_eq!(Code::from_number(-1), Code::Unknown);
    }

    #[test]
    fn kinds_of_errors_have_their_status() {
        let of = |code| CoreError::Triton {
            code,
            message: String::new(),
        };
        for (error, http) in [
            (of(Code::NotFound), 404),
            (of(Code::InvalidArgument), 400),
            (of(Code::Unavailable), 503),
            (of(Code::Unsupported), 501),
            (of(Code::Cancelled), 499),
            (of(Code::Unknown), 500),
            (CoreError::ZeroByte { what: "the ID" }, 400),
            (CoreError::Stopping, 503),
        ] {
            assert_eq!(error.status().http(), http, "{error:?}");
        }
    }
}
