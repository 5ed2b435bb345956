use std::fmt;

/// The error code of a failure, as in Triton.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Code {
    /// The server or the function failed.
    Internal = 1,
    /// The named object does not exist.
    NotFound = 2,
    /// The request is invalid.
    InvalidArgument = 3,
    /// The request cannot be served now.
    Unavailable = 4,
    /// The requested feature is not supported.
    Unsupported = 5,
    /// The client cancelled the request.
    Cancelled = 7,
}

impl Code {
    /// Returns the code for a byte from the wire.
    pub fn from_byte(byte: u8) -> Option<Self> {
        let all = [
            Self::Internal,
            Self::NotFound,
            Self::InvalidArgument,
            Self::Unavailable,
            Self::Unsupported,
            Self::Cancelled,
        ];
        all.into_iter().find(|code| *code as u8 == byte)
    }
}

/// The failure of a call or a request, with the message for the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The code.
    pub code: Code,
    /// The message.
    pub message: String,
}

impl Failure {
    /// Creates a failure.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    /// Creates a failure of the server itself.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(Code::Internal, message)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}
