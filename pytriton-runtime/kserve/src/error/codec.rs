use std::sync::Arc;

use pytriton_core::memory_budget::MemoryBudgetError;
use pytriton_core::request::{RequestId, SequenceId};
use pytriton_core::shared_memory::SharedMemoryError;
use pytriton_core::status::Status;
use pytriton_core::text::excerpt;
use pytriton_protocol::tensor::{DataType, TensorError};
use thiserror::Error;

use crate::json::ReadError;
use crate::settings::{LogError, TraceError};

use super::{DocumentError, GenerateError, Owner, ProtoError};

/// Why a request cannot be decoded, or a response cannot be encoded as requested.
///
/// Where Triton 2.51 has a client error of its own, its message is used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CodecError {
    /// Memory cannot be reserved.
    #[error(transparent)]
    Budget(#[from] MemoryBudgetError),
    /// The body is not valid JSON.
    #[error("failed to parse the request JSON buffer: {message}")]
    Json {
        /// The message of the parser.
        message: String,
    },
    /// The JSON data of an input contains `NaN` or `Infinity`.
    #[error(
        "unable to parse 'data' of input '{input}': JSON has no '{token}', please use the binary data format"
    )]
    NotFinite {
        /// The input.
        input: String,
        /// The token.
        token: &'static str,
    },
    /// The length of the JSON part exceeds the body or is negative.
    #[error("inference header size should be in range (0, {content_length}), got: {got}")]
    HeaderLengthRange {
        /// The size of the body in bytes.
        content_length: usize,
        /// The value of the header.
        got: String,
    },
    /// The length of the JSON part is not a number.
    #[error("inference header size must be a number, got: {got}")]
    HeaderLength {
        /// The value of the header.
        got: String,
    },
    /// A member is missing or has the wrong type.
    #[error("unable to parse '{member}'{of}: expected {expected}, found {found}")]
    Member {
        /// The member.
        member: String,
        /// The owner of the member.
        of: Owner,
        /// The expected type.
        expected: &'static str,
        /// The actual value.
        found: String,
    },
    /// A parameter is not a plain value.
    #[error("parameter '{name}' has invalid type. It should be either 'int', 'bool', or 'string'.")]
    ParameterType {
        /// The parameter.
        name: String,
    },
    /// A parameter has a reserved name.
    #[error(
        "parameter keys starting with 'triton_' are reserved for Triton usage and should not be specified."
    )]
    ReservedParameter,
    /// The string ID of the sequence is too long.
    #[error(
        "string correlation ID cannot be longer than {} characters",
        SequenceId::MAX_TEXT
    )]
    SequenceId,
    /// An input has no source of elements, or several.
    #[error(
        "Input must set only one of the following fields: 'data', 'binary_data_size' in 'parameters', 'shared_memory_region' in 'parameters'. But {set}"
    )]
    InputFields {
        /// The sources, in Triton's words.
        set: String,
    },
    /// The shapes have too many dimensions.
    #[error("the shapes of the inputs have more than {limit} dimensions")]
    Dims {
        /// The limit.
        limit: usize,
    },
    /// The element type is unknown.
    #[error("invalid datatype for input {input}")]
    UnknownDataType {
        /// The input.
        input: String,
    },
    /// The element type is not supported in JSON requests.
    #[error(
        "receiving {datatype} data via JSON is not supported. Please use the binary data format for input {input}"
    )]
    JsonInput {
        /// The input.
        input: String,
        /// The element type.
        datatype: DataType,
    },
    /// An element has another type than its input.
    #[error("unable to parse 'data' of input '{input}': expected {expected}, found {found}")]
    Element {
        /// The input.
        input: String,
        /// The expected type.
        expected: &'static str,
        /// The actual value.
        found: String,
    },
    /// The number of elements does not match the shape.
    #[error(
        "unable to parse 'data' of input '{input}': shape {shape} holds {expected} elements, found {got}"
    )]
    ElementCount {
        /// The input.
        input: String,
        /// The shape as text.
        shape: String,
        /// The number of elements of the shape.
        expected: usize,
        /// The actual number of elements.
        got: usize,
    },
    /// The data is nested too deeply.
    #[error("unable to parse 'data' of input '{input}': arrays are nested deeper than {limit}")]
    Depth {
        /// The input.
        input: String,
        /// The maximum nesting depth.
        limit: usize,
    },
    /// The data cannot be interpreted as a tensor.
    #[error("unable to parse 'data' of input '{input}': {source}")]
    Data {
        /// The input.
        input: String,
        /// The cause.
        #[source]
        source: TensorError,
    },
    /// The binary data of an input is incomplete.
    #[error(
        "unexpected size for input '{input}', expecting {missing} additional bytes for model '{model}'"
    )]
    MissingBytes {
        /// The model.
        model: Arc<str>,
        /// The input.
        input: String,
        /// The number of missing bytes.
        missing: u64,
    },
    /// There is more binary data than the inputs need.
    #[error("unexpected additional input data for model '{model}'")]
    ExtraBytes {
        /// The model.
        model: Arc<str>,
    },
    /// The shared-memory region is invalid.
    #[error(transparent)]
    SharedMemory(#[from] SharedMemoryError),
    /// An output in shared memory has another parameter that excludes this.
    #[error("Output can't set both 'shared_memory_region' and '{option}'")]
    RegionBeside {
        /// The other parameter.
        option: &'static str,
    },
    /// A raw request was sent to a model with several inputs.
    #[error(
        "{request}Raw request must only have 1 input (found 1) to be deduced but got {inputs} inputs in '{model}' model configuration"
    )]
    RawInputs {
        /// The ID of the request, as a prefix.
        request: RequestId,
        /// The model.
        model: Arc<str>,
        /// The number of inputs.
        inputs: usize,
    },
    /// The shape of a raw request is ambiguous.
    #[error(
        "{request}The shape of the raw input '{input}' can not be deduced because there are more than one variable-sized dimension"
    )]
    RawShape {
        /// The ID of the request, as a prefix.
        request: RequestId,
        /// The input.
        input: Arc<str>,
    },
    /// A raw request was sent to a model whose input has several strings.
    #[error("{request}For BYTE datatype raw input '{input}', the model must have input shape [1]")]
    RawBytes {
        /// The ID of the request, as a prefix.
        request: RequestId,
        /// The input.
        input: Arc<str>,
    },
    /// The element type is not supported in JSON responses.
    #[error(
        "sending {datatype} data via JSON is not supported. Please use the binary data format for output"
    )]
    JsonOutput {
        /// The element type.
        datatype: DataType,
    },
    /// Classes were requested for elements without an order.
    #[error("class result not available for output due to unsupported type '{datatype}'")]
    Classification {
        /// The element type.
        datatype: DataType,
    },
    /// An output cannot be encoded.
    #[error("output '{output}': {source}")]
    Output {
        /// The output.
        output: Arc<str>,
        /// The cause.
        #[source]
        source: TensorError,
    },
    /// The body of a request to the server itself is invalid.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// A log setting cannot be changed.
    #[error(transparent)]
    Log(#[from] LogError),
    /// A trace setting cannot be changed.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// A registration of shared memory lacks a field.
    #[error("Shared memory register request has no '{field}' field")]
    NoField {
        /// The missing field.
        field: &'static str,
    },
    /// The GPU memory handle is invalid.
    #[error("'raw_handle' must be a valid base64 encoded cudaIpcMemHandle_t")]
    Handle,
    /// An error of the generate extension.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// The protobuf message is not a valid request.
    #[error(transparent)]
    Proto(#[from] ProtoError),
}

impl From<ReadError> for CodecError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Budget(error) => Self::Budget(error),
            ReadError::Json(error) => Self::Json {
                message: excerpt(&error),
            },
        }
    }
}

impl CodecError {
    /// Returns the status of the error.
    pub fn status(&self) -> Status {
        match self {
            Self::Proto(error) => error.status(),
            Self::Generate(error) => error.status(),
            Self::SharedMemory(error) => error.status(),
            Self::Log(error) => error.status(),
            Self::Trace(error) => error.status(),
            Self::SequenceId => Status::Unsupported,
            Self::Output { .. } | Self::Document(_) => Status::Internal,
            _ => Status::InvalidArgument,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_is_that_of_the_cause() {
        use Status::{AlreadyExists, Internal, InvalidArgument, Unavailable, Unsupported};
        let taken = || SharedMemoryError::Taken {
            name: "a".to_owned(),
        };
        let format = || LogError::Format {
            got: "x".to_owned(),
        };
        let nested = |error: CodecError| {
            CodecError::Generate(GenerateError::Nested {
                source: Box::new(error),
            })
        };
        let table = [
            (CodecError::Handle, InvalidArgument),
            (CodecError::SequenceId, Unsupported),
            (CodecError::SharedMemory(taken()), AlreadyExists),
            (CodecError::Log(format()), Unavailable),
            (CodecError::Log(LogError::File), Unsupported),
            (CodecError::Trace(TraceError::File), Unsupported),
            (CodecError::Trace(TraceError::Off), InvalidArgument),
            (CodecError::Generate(GenerateError::ResponseCount), Internal),
            (nested(CodecError::Handle), InvalidArgument),
            (nested(CodecError::SequenceId), Unsupported),
            (CodecError::Proto(ProtoError::SequenceId), Unsupported),
            (CodecError::Proto(taken().into()), AlreadyExists),
        ];
        for (error, expected) in table {
            assert_eq!(error.status(), expected, "{error}");
        }
    }
}
