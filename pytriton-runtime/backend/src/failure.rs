use std::fmt;

/// What kind of failure an error of Triton is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Code {
    /// The server or the function failed.
    Internal = 1,
    /// There is nothing of that name.
    NotFound = 2,
    /// The request itself is wrong.
    InvalidArgument = 3,
    /// The request cannot be served now.
    Unavailable = 4,
    /// The request asks for something that is not offered.
    Unsupported = 5,
    /// The client took the request back.
    Cancelled = 7,
}

impl Code {
    /// The kind that a byte from the wire stands for.
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

/// Why a call or a request failed, in the words that the client reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The kind.
    pub code: Code,
    /// The words.
    pub message: String,
}

impl Failure {
    /// A failure of a kind.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    /// A failure that is nobody's but the server's.
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
