use std::fmt;

use crate::status::Status;

/// The kind of an [`Error`](super::Error). It determines the status that the client receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request is invalid: HTTP 400, gRPC `INVALID_ARGUMENT`.
    InvalidArgument,
    /// A requested object does not exist: HTTP 404, gRPC `NOT_FOUND`.
    NotFound,
    /// A limit, such as a quota, is reached: HTTP 429, gRPC `RESOURCE_EXHAUSTED`.
    ResourceExhausted,
    /// The client can retry later: HTTP 503, gRPC `UNAVAILABLE`.
    Unavailable,
    /// An operation did not complete in time: HTTP 504, gRPC `DEADLINE_EXCEEDED`.
    DeadlineExceeded,
    /// The function does not support the request: HTTP 501, gRPC `UNIMPLEMENTED`.
    Unimplemented,
    /// The function failed: HTTP 500, gRPC `INTERNAL`.
    Internal,
    /// The function failed and cannot process any further request: HTTP 500, gRPC `INTERNAL`.
    Unrecoverable,
}

impl ErrorKind {
    /// Returns the status of errors of this kind.
    pub const fn status(self) -> Status {
        match self {
            Self::InvalidArgument => Status::InvalidArgument,
            Self::NotFound => Status::NotFound,
            Self::ResourceExhausted => Status::ResourceExhausted,
            Self::Unavailable => Status::Unavailable,
            Self::DeadlineExceeded => Status::DeadlineExceeded,
            Self::Unimplemented => Status::Unsupported,
            Self::Internal | Self::Unrecoverable => Status::Internal,
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InvalidArgument => "invalid argument",
            Self::NotFound => "not found",
            Self::ResourceExhausted => "resource exhausted",
            Self::Unavailable => "unavailable",
            Self::DeadlineExceeded => "deadline exceeded",
            Self::Unimplemented => "unimplemented",
            Self::Internal => "internal error",
            Self::Unrecoverable => "unrecoverable error",
        })
    }
}
