use std::sync::Arc;

use pytriton_core::request::RequestId;
use pytriton_core::status::Status;
use thiserror::Error;

use super::CodecError;

/// Why a request of the generate extension is invalid, or a response cannot be encoded for it.
/// Where Triton 2.51 has a message, it is used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// The number of elements does not match the dims of the input.
    #[error("The schema can not convert input '{input}' to tensor with proper shape")]
    Shape {
        /// The input.
        input: String,
    },
    /// An input occurs twice.
    #[error("{request}input '{input}' already exists in request")]
    DuplicateInput {
        /// The ID of the request, as a prefix.
        request: RequestId,
        /// The input.
        input: String,
    },
    /// A parameter, or the `parameters` object, occurs twice.
    #[error("member '{member}' occurs twice")]
    DuplicateMember {
        /// The member.
        member: String,
    },
    /// `parameters` was sent to a model with an input of this name.
    #[error("Keyword 'parameters' for nested schema also given as input tensor name")]
    Keyword,
    /// A member of `parameters` is invalid.
    #[error("Converting keyword: 'parameters': {source}")]
    Nested {
        /// The error of the member.
        source: Box<CodecError>,
    },
    /// The bytes of an output are not valid UTF-8.
    #[error(
        "sending BYTES data that is not UTF-8 via JSON is not supported. Please use the binary data format for output '{output}'"
    )]
    NotUtf8 {
        /// The output.
        output: Arc<str>,
    },
    /// The model sent no response or several, but exactly one was expected.
    #[error(
        "generate expects model to produce exactly 1 response, use generate stream for model that generates various number of responses"
    )]
    ResponseCount,
}

impl GenerateError {
    /// Returns the status of the error.
    pub fn status(&self) -> Status {
        match self {
            Self::Nested { source } => source.status(),
            Self::ResponseCount => Status::Internal,
            _ => Status::InvalidArgument,
        }
    }
}
