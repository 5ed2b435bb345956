use std::sync::Arc;

use pytriton_core::request::{RequestId, SequenceId};
use pytriton_core::shared_memory::SharedMemoryError;
use pytriton_core::status::Status;
use pytriton_protocol::tensor::{DataType, TensorError};
use thiserror::Error;

/// Why a message is not a valid request. The messages are those of Triton 2.51.
///
/// Source: `infer_handler.cc`, `grpc_utils.h` and `common.cc` in Triton 2.51.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ProtoError {
    /// A parameter has the wrong type.
    #[error("invalid value type for '{name}' parameter, expected {expected}")]
    ParameterType {
        /// The parameter.
        name: String,
        /// The expected types.
        expected: &'static str,
    },
    /// The priority is negative.
    #[error("invalid value for 'priority', expected value >= 0.")]
    NegativePriority,
    /// The string ID of the sequence is too long.
    #[error(
        "string correlation ID cannot be longer than {} characters",
        SequenceId::MAX_TEXT
    )]
    SequenceId,
    /// A parameter has a reserved name.
    #[error(
        "parameter keys starting with 'triton_' are reserved for Triton usage. Only the following keys starting with 'triton_' are allowed: triton_enable_empty_final_response"
    )]
    ReservedParameter,
    /// The number of classes is invalid.
    #[error("invalid value for 'classification' parameter, expected >= 0")]
    ClassificationCount,
    /// An output has both classes and a shared-memory region.
    #[error("output can't set both 'shared_memory_region' and 'classification'")]
    ClassificationBesideRegion,
    /// A shared-memory parameter has the wrong type.
    #[error(
        "invalid value type for '{parameter}' parameter for tensor '{tensor}', expected {expected}."
    )]
    RegionParameterType {
        /// The parameter.
        parameter: &'static str,
        /// The input or output.
        tensor: String,
        /// The expected type.
        expected: &'static str,
    },
    /// A shared-memory parameter is given without a region.
    #[error(
        "'{parameter}' can not be specified without 'shared_memory_region' parameter for tensor '{tensor}'"
    )]
    RegionMissing {
        /// The parameter.
        parameter: &'static str,
        /// The input or output.
        tensor: String,
    },
    /// A shared-memory region is given without a size.
    #[error(
        "'shared_memory_byte_size' must be specified along with 'shared_memory_region' parameter for tensor '{tensor}'"
    )]
    RegionSizeMissing {
        /// The input or output.
        tensor: String,
    },
    /// The shared-memory region is invalid.
    #[error(transparent)]
    SharedMemory(#[from] SharedMemoryError),
    /// An input has both a shared-memory region and contents.
    #[error(
        "unexpected 'content' provided when using shared memory for input tensor '{input}' for model '{model}'"
    )]
    ContentsBesideRegion {
        /// The input.
        input: String,
        /// The model.
        model: Arc<str>,
    },
    /// An input has both raw and typed contents.
    #[error(
        "contents field must not be specified when using raw_input_contents for '{input}' for model '{model}'"
    )]
    ContentsBesideRaw {
        /// The input.
        input: String,
        /// The model.
        model: Arc<str>,
    },
    /// An input has typed contents in two fields.
    #[error(
        "unexpected explicit tensor data for input tensor '{input}' for model '{model}', binary data was already supplied."
    )]
    ContentsTwice {
        /// The input.
        input: String,
        /// The model.
        model: Arc<str>,
    },
    /// The typed contents do not match the element type.
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
        /// The element type of the input; `None` if it is unknown.
        expected: Option<DataType>,
    },
    /// The contents are invalid.
    #[error("input '{input}' for model '{model}': {source}")]
    Contents {
        /// The input.
        input: String,
        /// The model.
        model: Arc<str>,
        /// The cause.
        #[source]
        source: TensorError,
    },
    /// An input has no elements.
    #[error("unable to find data for input tensor '{input}' for model '{model}' in request.")]
    NoData {
        /// The input.
        input: String,
        /// The model.
        model: Arc<str>,
    },
    /// The element type is unknown.
    #[error(
        "{request}inference input '{input}' data-type is '{}', but model '{model}' expects '{expected}'",
        name(None)
    )]
    DataType {
        /// The ID of the request, as a prefix.
        request: RequestId,
        /// The input.
        input: String,
        /// The model.
        model: Arc<str>,
        /// The element type of the model.
        expected: DataType,
    },
}

impl ProtoError {
    /// Returns the status of the error.
    pub fn status(&self) -> Status {
        match self {
            Self::SharedMemory(error) => error.status(),
            Self::SequenceId => Status::Unsupported,
            _ => Status::InvalidArgument,
        }
    }
}

/// Returns the name of an element type in Triton's messages.
fn name(datatype: Option<DataType>) -> &'static str {
    datatype.map_or("<invalid>", DataType::name)
}
