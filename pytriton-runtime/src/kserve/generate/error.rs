use std::sync::Arc;

use thiserror::Error;

use crate::kserve::CodecError;
use crate::request::RequestId;
use crate::status::Status;

/// Why an object is no request of the generate extension, or a response cannot be written as one. The texts are those of
/// Triton 2.51 where it has one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// A number of elements of which the input's dims cannot be made.
    #[error("The schema can not convert input '{input}' to tensor with proper shape")]
    Shape {
        /// The input.
        input: String,
    },
    /// An input that stands twice.
    #[error("{request}input '{input}' already exists in request")]
    DuplicateInput {
        /// The request's id as a prefix.
        request: RequestId,
        /// The input.
        input: String,
    },
    /// A parameter, or the object of parameters, that stands twice.
    #[error("member '{member}' stands twice")]
    DuplicateMember {
        /// The member.
        member: String,
    },
    /// `parameters` for a model with an input of that name.
    #[error("Keyword 'parameters' for nested schema also given as input tensor name")]
    Keyword,
    /// What is wrong within `parameters`.
    #[error("Converting keyword: 'parameters': {source}")]
    Nested {
        /// What that is.
        source: Box<CodecError>,
    },
    /// An output of bytes that are no text.
    #[error(
        "sending BYTES data that is not UTF-8 via JSON is not supported. Please use the binary data format for output '{output}'"
    )]
    NotUtf8 {
        /// The output.
        output: Arc<str>,
    },
    /// No answer, or several, where there is room for one.
    #[error(
        "generate expects model to produce exactly 1 response, use generate stream for model that generates various number of responses"
    )]
    ResponseCount,
}

impl GenerateError {
    /// What kind of failure this is.
    pub fn status(&self) -> Status {
        match self {
            Self::Nested { source } => source.status(),
            Self::ResponseCount => Status::Internal,
            _ => Status::InvalidArgument,
        }
    }
}
