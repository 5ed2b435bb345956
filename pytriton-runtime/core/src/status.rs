//! The mapping from error kinds to HTTP status codes and gRPC codes.

/// The kind of a failure, independent of its message.
///
/// Source: `HttpCodeFromError` and `GrpcStatusUtil` in Triton 2.51.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// The request is invalid.
    InvalidArgument,
    /// The named object does not exist.
    NotFound,
    /// The named object already exists.
    AlreadyExists,
    /// The server cannot accept the request now.
    Unavailable,
    /// The function exceeded its time limit.
    DeadlineExceeded,
    /// The server or the function failed.
    Internal,
    /// The requested feature is not supported.
    Unsupported,
    /// The client cancelled the request.
    Cancelled,
    /// The request is larger than the server's limit.
    TooLarge,
    /// The server has no memory for the request now.
    Exhausted,
    /// A limit is used up, of one client or of a resource that all requests share.
    ResourceExhausted,
}

impl Status {
    /// Returns the HTTP status code.
    pub const fn http(self) -> u16 {
        self.codes().0
    }

    /// Returns the number of the gRPC code.
    pub const fn grpc(self) -> i32 {
        self.codes().1
    }

    /// Returns whether the content of one request causes such errors. Only the client of that
    /// request may receive the error.
    ///
    /// [`ResourceExhausted`](Self::ResourceExhausted) does not count: a function that has no
    /// resource left returns it for its whole batch, and each client should try again later.
    pub const fn is_of_client(self) -> bool {
        matches!(
            self,
            Self::InvalidArgument | Self::NotFound | Self::AlreadyExists | Self::TooLarge
        )
    }

    /// Checks in debug builds that an error of this kind may be reported to `requests` requests.
    #[inline]
    pub fn assert_belongs_to(self, requests: usize) {
        debug_assert!(
            requests <= 1 || !self.is_of_client(),
            "an error of the client kind is reported to {requests} requests"
        );
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
            Self::ResourceExhausted => (429, 8),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_one_request_belong_to_its_client() {
        let table = [
            (Status::InvalidArgument, true),
            (Status::NotFound, true),
            (Status::AlreadyExists, true),
            (Status::TooLarge, true),
            (Status::Unavailable, false),
            (Status::DeadlineExceeded, false),
            (Status::Internal, false),
            (Status::Unsupported, false),
            (Status::Cancelled, false),
            (Status::Exhausted, false),
            (Status::ResourceExhausted, false),
        ];
        for (status, of_client) in table {
            assert_eq!(status.is_of_client(), of_client, "{status:?}");
        }
    }
}
