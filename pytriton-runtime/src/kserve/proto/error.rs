use std::sync::Arc;

use thiserror::Error;

use crate::request::{RequestId, SequenceId};
use crate::shared_memory::SharedMemoryError;
use crate::status::Status;
use crate::tensor::{DataType, TensorError};

/// Why a message is no request. The texts are those of Triton 2.51.
///
/// Source: `infer_handler.cc`, `grpc_utils.h` and `common.cc` in Triton 2.51.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ProtoError {
    /// A parameter of another type than it must have.
    #[error("invalid value type for '{name}' parameter, expected {expected}")]
    ParameterType {
        /// The parameter.
        name: String,
        /// The types it may have.
        expected: &'static str,
    },
    /// A priority below 0.
    #[error("invalid value for 'priority', expected value >= 0.")]
    NegativePriority,
    /// A sequence whose name is too long.
    #[error(
        "string correlation ID cannot be longer than {} characters",
        SequenceId::MAX_TEXT
    )]
    SequenceId,
    /// A parameter whose name is kept for the server.
    #[error(
        "parameter keys starting with 'triton_' are reserved for Triton usage. Only the following keys starting with 'triton_' are allowed: triton_enable_empty_final_response"
    )]
    ReservedParameter,
    /// A number of classes that is none.
    #[error("invalid value for 'classification' parameter, expected >= 0")]
    ClassificationCount,
    /// An output that is to be classes and a shared memory region.
    #[error("output can't set both 'shared_memory_region' and 'classification'")]
    ClassificationBesideRegion,
    /// A shared memory parameter of another type than it must have.
    #[error(
        "invalid value type for '{parameter}' parameter for tensor '{tensor}', expected {expected}."
    )]
    RegionParameterType {
        /// The parameter.
        parameter: &'static str,
        /// The input or output.
        tensor: String,
        /// The type it must have.
        expected: &'static str,
    },
    /// A shared memory parameter where no region is named.
    #[error(
        "'{parameter}' can not be specified without 'shared_memory_region' parameter for tensor '{tensor}'"
    )]
    RegionMissing {
        /// The parameter.
        parameter: &'static str,
        /// The input or output.
        tensor: String,
    },
    /// A shared memory region without a size.
    #[error(
        "'shared_memory_byte_size' must be specified along with 'shared_memory_region' parameter for tensor '{tensor}'"
    )]
    RegionSizeMissing {
        /// The input or output.
        tensor: String,
    },
    /// There is no such shared memory.
    #[error(transparent)]
    SharedMemory(#[from] SharedMemoryError),
    /// Elements beside a shared memory region.
    #[error(
        "unexpected 'content' provided when using shared memory for input tensor '{input}' for model '{model}'"
    )]
    ContentsBesideRegion {
        /// The input.
        input: String,
        /// The model.
        model: Arc<str>,
    },
    /// Elements in both of the places where they can be.
    #[error(
        "contents field must not be specified when using raw_input_contents for '{input}' for model '{model}'"
    )]
    ContentsBesideRaw {
        /// The input.
        input: String,
        /// The model.
        model: Arc<str>,
    },
    /// Elements in two fields of the contents.
    #[error(
        "unexpected explicit tensor data for input tensor '{input}' for model '{model}', binary data was already supplied."
    )]
    ContentsTwice {
        /// The input.
        input: String,
        /// The model.
        model: Arc<str>,
    },
    /// Elements in the field of another element type.
    #[error(
        "unexpected explicit tensor data for input tensor '{input}' for model '{model}' of type '{found}', expected datatype '{}'", name(*expected)
    )]
    ContentsType {
        /// The input.
        input: String,
        /// The model.
        model: Arc<str>,
        /// The element type of the field.
        found: DataType,
        /// The element type that the input claims; `None` for one that there is not.
        expected: Option<DataType>,
    },
    /// Elements that are none.
    #[error("input '{input}' for model '{model}': {source}")]
    Contents {
        /// The input.
        input: String,
        /// The model.
        model: Arc<str>,
        /// Why.
        #[source]
        source: TensorError,
    },
    /// No elements at all.
    #[error("unable to find data for input tensor '{input}' for model '{model}' in request.")]
    NoData {
        /// The input.
        input: String,
        /// The model.
        model: Arc<str>,
    },
    /// An element type that there is not.
    #[error(
        "{request}inference input '{input}' data-type is '{}', but model '{model}' expects '{expected}'",
        name(None)
    )]
    DataType {
        /// The request's id as a prefix.
        request: RequestId,
        /// The input.
        input: String,
        /// The model.
        model: Arc<str>,
        /// What the model takes.
        expected: DataType,
    },
}

impl ProtoError {
    /// What kind of failure this is.
    pub fn status(&self) -> Status {
        match self {
            Self::SharedMemory(error) => error.status(),
            Self::SequenceId => Status::Unsupported,
            _ => Status::InvalidArgument,
        }
    }
}

/// An element type as Triton writes it in messages.
fn name(datatype: Option<DataType>) -> &'static str {
    datatype.map_or("<invalid>", DataType::name)
}
