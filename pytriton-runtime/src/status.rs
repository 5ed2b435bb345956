//! The one table from kinds of errors to HTTP status codes and gRPC codes.

/// What kind of failure an answer tells of, whatever its words.
///
/// Source: `HttpCodeFromError` and `GrpcStatusUtil` in Triton 2.51.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// The request itself is wrong.
    InvalidArgument,
    /// There is nothing of that name.
    NotFound,
    /// There is something of that name.
    AlreadyExists,
    /// The server cannot take the request now.
    Unavailable,
    /// The function took longer than it may.
    DeadlineExceeded,
    /// The server or the function failed.
    Internal,
    /// The request asks for something that is not offered.
    Unsupported,
    /// The client took the request back.
    Cancelled,
    /// The request is larger than the server's limit.
    TooLarge,
    /// The server has no room for the request now.
    Exhausted,
}

impl Status {
    /// The HTTP status code.
    pub const fn http(self) -> u16 {
        self.codes().0
    }

    /// The gRPC code as a number.
    pub const fn grpc(self) -> i32 {
        self.codes().1
    }

    const fn codes(self) -> (u16, i32) {
        match self {
            Self::InvalidArgument => (400, 3),
            Self::NotFound => (404, 5),
            Self::AlreadyExists => (400, 6),
            Self::Unavailable => (503, 14),
            Self::DeadlineExceeded => (504, 4),
            Self::Internal => (500, 13),
            Self::Unsupported => (501, 12),
            Self::Cancelled => (499, 1),
            Self::TooLarge => (413, 8),
            Self::Exhausted => (503, 8),
        }
    }
}
