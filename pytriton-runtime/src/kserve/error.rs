use std::fmt;
use std::sync::Arc;

use thiserror::Error;

use crate::logging::LogError;
use crate::memory_budget::MemoryBudgetError;
use crate::request::{RequestId, SequenceId};
use crate::shared_memory::SharedMemoryError;
use crate::status::Status;
use crate::tensor::{DataType, TensorError};
use crate::timeline::TraceError;

use super::document::DocumentError;
use super::generate::GenerateError;
use super::json::JsonWriter;
use super::proto::ProtoError;

/// Why bytes are no request, or a response cannot be written as asked.
///
/// The texts are those of Triton 2.51 where it answers with a client error of its own.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CodecError {
    /// The memory for what is read or written cannot be reserved.
    #[error(transparent)]
    Budget(#[from] MemoryBudgetError),
    /// The body is no JSON.
    #[error("failed to parse the request JSON buffer: {message}")]
    Json {
        /// The parser's words.
        message: String,
    },
    /// `NaN` or `Infinity` in an input's JSON data.
    #[error(
        "unable to parse 'data' of input '{input}': JSON has no '{token}', please use the binary data format"
    )]
    NotFinite {
        /// The input.
        input: String,
        /// The token that came.
        token: &'static str,
    },
    /// The JSON is longer, or shorter, than the body has room for.
    #[error("inference header size should be in range (0, {content_length}), got: {got}")]
    HeaderLengthRange {
        /// The bytes of the body.
        content_length: usize,
        /// The header's value.
        got: String,
    },
    /// The length of the JSON is no number.
    #[error("inference header size must be a number, got: {got}")]
    HeaderLength {
        /// The header's value.
        got: String,
    },
    /// A member that is missing or of another type than it must be.
    #[error("unable to parse '{member}'{of}: expected {expected}, found {found}")]
    Member {
        /// The member.
        member: String,
        /// What it is a member of.
        of: Owner,
        /// What it must be.
        expected: &'static str,
        /// What came.
        found: String,
    },
    /// A parameter that is no plain value.
    #[error("parameter '{name}' has invalid type. It should be either 'int', 'bool', or 'string'.")]
    ParameterType {
        /// The parameter.
        name: String,
    },
    /// A parameter that clients must not set.
    #[error(
        "parameter keys starting with 'triton_' are reserved for Triton usage and should not be specified."
    )]
    ReservedParameter,
    /// A sequence whose name is too long.
    #[error(
        "string correlation ID cannot be longer than {} characters",
        SequenceId::MAX_TEXT
    )]
    SequenceId,
    /// An input whose elements come from nowhere, or from several places.
    #[error(
        "Input must set only one of the following fields: 'data', 'binary_data_size' in 'parameters', 'shared_memory_region' in 'parameters'. But {set}"
    )]
    InputFields {
        /// What is set, in Triton's words.
        set: String,
    },
    /// Shapes of more dimensions than anybody needs.
    #[error("the shapes of the inputs have more than {limit} dimensions")]
    Dims {
        /// The limit.
        limit: usize,
    },
    /// An element type that there is not.
    #[error("invalid datatype for input {input}")]
    UnknownDataType {
        /// The input.
        input: String,
    },
    /// An element type that JSON cannot carry to the server.
    #[error(
        "receiving {datatype} data via JSON is not supported. Please use the binary data format for input {input}"
    )]
    JsonInput {
        /// The input.
        input: String,
        /// The element type.
        datatype: DataType,
    },
    /// An element of another type than its input has.
    #[error("unable to parse 'data' of input '{input}': expected {expected}, found {found}")]
    Element {
        /// The input.
        input: String,
        /// What the elements must be.
        expected: &'static str,
        /// What came.
        found: String,
    },
    /// More or fewer elements than the shape asks for.
    #[error(
        "unable to parse 'data' of input '{input}': shape {shape} holds {expected} elements, found {got}"
    )]
    ElementCount {
        /// The input.
        input: String,
        /// The shape as text.
        shape: String,
        /// What the shape asks for.
        expected: usize,
        /// What came.
        got: usize,
    },
    /// Arrays in arrays in arrays.
    #[error("unable to parse 'data' of input '{input}': arrays are nested deeper than {limit}")]
    Depth {
        /// The input.
        input: String,
        /// The deepest nesting allowed.
        limit: usize,
    },
    /// Elements that make no tensor.
    #[error("unable to parse 'data' of input '{input}': {source}")]
    Data {
        /// The input.
        input: String,
        /// Why.
        #[source]
        source: TensorError,
    },
    /// Binary data that ends before its input does.
    #[error(
        "unexpected size for input '{input}', expecting {missing} additional bytes for model '{model}'"
    )]
    MissingBytes {
        /// The model.
        model: Arc<str>,
        /// The input.
        input: String,
        /// The bytes that are missing.
        missing: u64,
    },
    /// Binary data that belongs to no input.
    #[error("unexpected additional input data for model '{model}'")]
    ExtraBytes {
        /// The model.
        model: Arc<str>,
    },
    /// There is no such shared memory.
    #[error(transparent)]
    SharedMemory(#[from] SharedMemoryError),
    /// An output that is to be in shared memory, and something else besides.
    #[error("Output can't set both 'shared_memory_region' and '{beside}'")]
    RegionBeside {
        /// What else.
        beside: &'static str,
    },
    /// A raw request for a model of several inputs.
    #[error(
        "{request}Raw request must only have 1 input (found 1) to be deduced but got {inputs} inputs in '{model}' model configuration"
    )]
    RawInputs {
        /// The request's id as a prefix.
        request: RequestId,
        /// The model.
        model: Arc<str>,
        /// How many inputs it has.
        inputs: usize,
    },
    /// A raw request whose shape could be any.
    #[error(
        "{request}The shape of the raw input '{input}' can not be deduced because there are more than one variable-sized dimension"
    )]
    RawShape {
        /// The request's id as a prefix.
        request: RequestId,
        /// The input.
        input: Arc<str>,
    },
    /// A raw request for a model that takes several texts.
    #[error("{request}For BYTE datatype raw input '{input}', the model must have input shape [1]")]
    RawBytes {
        /// The request's id as a prefix.
        request: RequestId,
        /// The input.
        input: Arc<str>,
    },
    /// An element type that JSON cannot carry to the client.
    #[error(
        "sending {datatype} data via JSON is not supported. Please use the binary data format for output"
    )]
    JsonOutput {
        /// The element type.
        datatype: DataType,
    },
    /// Classes of elements that have no order.
    #[error("class result not available for output due to unsupported type '{datatype}'")]
    Classification {
        /// The element type.
        datatype: DataType,
    },
    /// An output that cannot be written.
    #[error("output '{output}': {source}")]
    Output {
        /// The output.
        output: Arc<str>,
        /// Why.
        #[source]
        source: TensorError,
    },
    /// The body of a request for the server itself cannot be read.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// A setting of the log that stays as it is.
    #[error(transparent)]
    Log(#[from] LogError),
    /// A setting of traces that stays as it is.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// A request to register shared memory that does not say enough.
    #[error("Shared memory register request has no '{field}' field")]
    NoField {
        /// What it must say.
        field: &'static str,
    },
    /// What is not the handle of a GPU's memory.
    #[error("'raw_handle' must be a valid base64 encoded cudaIpcMemHandle_t")]
    Handle,
    /// What is particular to requests and answers of the generate extension.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// The message is no request.
    #[error(transparent)]
    Proto(#[from] ProtoError),
}

impl CodecError {
    /// What kind of failure this is.
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

/// What a JSON member belongs to, as messages name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Owner {
    /// The request itself.
    Request,
    /// The input of that name.
    Input(String),
    /// The output of that name.
    Output(String),
    /// An item without a name of a list of the request.
    Item(&'static str, usize),
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request => Ok(()),
            Self::Input(name) => write!(f, " of input '{name}'"),
            Self::Output(name) => write!(f, " of output '{name}'"),
            Self::Item(list, index) => write!(f, " of '{list}[{index}]'"),
        }
    }
}

/// An error as JSON.
pub fn error_json(message: &str) -> Vec<u8> {
    let mut json = JsonWriter::with_capacity(message.len() + 16);
    json.object(|json| json.name("error").text(message));
    json.finish()
}
