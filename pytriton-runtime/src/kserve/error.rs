use thiserror::Error;

use super::proto::ProtoError;
use crate::status::Status;

/// Why bytes are no request, or a response cannot be written as asked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CodecError {
    /// The body is no JSON.
    #[error("failed to parse the request JSON buffer: {message}")]
    Json {
        /// The parser's words.
        message: String,
    },
    /// The message is no request.
    #[error(transparent)]
    Proto(#[from] ProtoError),
}

impl CodecError {
    /// What kind of failure this is.
    pub fn status(&self) -> Status {
        match self {
            Self::Json { .. } => Status::InvalidArgument,
            Self::Proto(error) => error.status(),
        }
    }
}
