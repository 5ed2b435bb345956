use std::sync::Arc;

use thiserror::Error;

use crate::memory_budget::MemoryBudgetError;
use crate::status::Status;
use crate::tensor::{DataType, TensorError};

/// A request does not match its model. The messages are those of Triton 2.51.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RequestError {
    /// The model does not exist.
    #[error("{}", unknown_model(name, version.as_deref()))]
    UnknownModel {
        /// The name in the request.
        name: String,
        /// The version in the request, if any.
        version: Option<String>,
    },
    /// The model exists but is not loaded.
    #[error("{}", unloaded_model(name, version.as_deref()))]
    UnloadedModel {
        /// The name in the request.
        name: String,
        /// The version in the request, if any.
        version: Option<String>,
    },
    /// The input does not exist in the model.
    #[error("unexpected inference input '{input}' for model '{model}'")]
    UnknownInput {
        /// The model.
        model: Arc<str>,
        /// The name in the request.
        input: String,
    },
    /// The output does not exist in the model.
    #[error("unexpected inference output '{output}' for model '{model}'")]
    UnknownOutput {
        /// The model.
        model: Arc<str>,
        /// The name in the request.
        output: String,
    },
    /// The input occurs twice.
    #[error("{request}input '{input}' already exists in request")]
    DuplicateInput {
        /// The ID of the request, as a prefix.
        request: RequestId,
        /// The input.
        input: String,
    },
    /// The number of inputs is wrong.
    #[error(
        "{request}expected {expected} but got {got} inputs for model '{model}'. Got input(s) [{names}], but missing required input(s) [{missing}]. Please provide all required input(s)."
    )]
    InputCount {
        /// The ID of the request, as a prefix.
        request: RequestId,
        /// The model.
        model: Arc<str>,
        /// The expected number of inputs, in Triton's words.
        expected: String,
        /// The actual number of inputs.
        got: usize,
        /// The names of the inputs, quoted.
        names: String,
        /// The names of the missing inputs, quoted.
        missing: String,
    },
    /// The element type is wrong.
    #[error(
        "{request}inference input '{input}' data-type is '{got}', but model '{model}' expects '{expected}'"
    )]
    DataType {
        /// The ID of the request, as a prefix.
        request: RequestId,
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
        /// The expected type.
        expected: DataType,
        /// The actual type.
        got: DataType,
    },
    /// The shape is wrong.
    #[error(
        "{request}unexpected shape for input '{input}' for model '{model}'. Expected {expected}, got {got}. {note}"
    )]
    Shape {
        /// The ID of the request, as a prefix.
        request: RequestId,
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
        /// The expected dims, as text.
        expected: String,
        /// The actual shape, as text.
        got: String,
        /// Triton's hint about the batch axis, or an empty string.
        note: &'static str,
    },
    /// The batch axis is missing.
    #[error(
        "{request}input '{input}' has no shape but model requires batch dimension for '{model}'"
    )]
    NoBatchAxis {
        /// The ID of the request, as a prefix.
        request: RequestId,
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
    },
    /// The inputs have different numbers of rows.
    #[error("{request}input '{input}' batch size does not match other inputs for '{model}'")]
    DifferentBatchSizes {
        /// The ID of the request, as a prefix.
        request: RequestId,
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
    },
    /// The batch is larger than the model allows.
    #[error("{request}inference request batch-size must be <= {max} for '{model}'")]
    BatchSize {
        /// The ID of the request, as a prefix.
        request: RequestId,
        /// The model.
        model: Arc<str>,
        /// The maximum batch size.
        max: u32,
    },
    /// A dimension is negative.
    #[error(
        "{request}All input dimensions should be specified for input '{input}' for model '{model}', got {got}"
    )]
    OpenDimension {
        /// The ID of the request, as a prefix.
        request: RequestId,
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
        /// The actual shape, as text.
        got: String,
    },
    /// A length prefix of a `BYTES` input is truncated.
    #[error(
        "{request}incomplete string length indicator for inference input '{input}' for model '{model}', expecting 4 bytes but only {available} bytes available. Please make sure the string length indicator is in one buffer."
    )]
    StringLength {
        /// The ID of the request, as a prefix.
        request: RequestId,
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
        /// The number of bytes that remain.
        available: usize,
    },
    /// An element of a `BYTES` input is truncated.
    #[error(
        "incomplete string data for inference input '{input}', expecting string of length {length} but only {available} bytes available"
    )]
    StringData {
        /// The input.
        input: Arc<str>,
        /// The length in its prefix.
        length: usize,
        /// The number of bytes that remain.
        available: usize,
    },
    /// A `BYTES` input has fewer elements than its shape requires.
    #[error(
        "{request}expected {expected} string elements for inference input '{input}' for model '{model}', got {got}"
    )]
    TooFewStrings {
        /// The ID of the request, as a prefix.
        request: RequestId,
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
        /// The number of elements of the shape.
        expected: usize,
        /// The actual number of elements.
        got: usize,
    },
    /// A `BYTES` input has more elements than its shape requires.
    #[error(
        "{request}unexpected number of string elements {got} for inference input '{input}' for model '{model}', expecting {expected}"
    )]
    TooManyStrings {
        /// The ID of the request, as a prefix.
        request: RequestId,
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
        /// The number of elements of the shape.
        expected: usize,
        /// The number of the first extra element, starting at 1.
        got: usize,
    },
    /// The batch is empty.
    #[error(
        "{request}inference request batch-size must be >= 1 for '{model}', but input '{input}' has no rows"
    )]
    NoRows {
        /// The ID of the request, as a prefix.
        request: RequestId,
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
    },
    /// The data of an input has the wrong size.
    #[error(
        "{request}input byte size mismatch for input '{input}' for model '{model}'. Expected {expected}, got {got}"
    )]
    ByteSize {
        /// The ID of the request, as a prefix.
        request: RequestId,
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
        /// The number of bytes of the shape.
        expected: usize,
        /// The actual number of bytes.
        got: usize,
    },
    /// An element is not valid for its type: a `BOOL` byte above 1, or text that is not UTF-8.
    #[error("input '{input}' of model '{model}': {source}")]
    Element {
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
        /// The element and the cause.
        #[source]
        source: TensorError,
    },
    /// The data cannot be interpreted as elements.
    #[error("{request}input '{input}' for model '{model}': {source}")]
    Tensor {
        /// The ID of the request, as a prefix.
        request: RequestId,
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
        /// The cause.
        #[source]
        source: TensorError,
    },
    /// The memory of the inputs cannot be reserved.
    #[error(transparent)]
    Budget(#[from] MemoryBudgetError),
}

impl RequestError {
    /// Returns the status of the error.
    pub fn status(&self) -> Status {
        match self {
            Self::UnloadedModel {
                version: Some(_), ..
            } => Status::Unavailable,
            Self::Budget(_) => Status::Exhausted,
            Self::UnknownModel { .. } | Self::UnloadedModel { .. } => Status::NotFound,
            _ => Status::InvalidArgument,
        }
    }
}

/// The ID of a request, displayed as Triton's prefix of messages.
///
/// # Examples
///
/// ```
/// # use pytriton_core::request::RequestId;
/// assert_eq!(RequestId("7".into()).to_string(), "[request id: 7] ");
/// assert_eq!(RequestId(String::new()).to_string(), "[request id: <id_unknown>] ");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestId(pub String);

impl std::fmt::Display for RequestId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0.as_str() {
            "" => f.write_str("[request id: <id_unknown>] "),
            id => write!(f, "[request id: {id}] "),
        }
    }
}

fn unloaded_model(name: &str, version: Option<&str>) -> String {
    match version {
        Some(version) => {
            format!("Request for unknown model: '{name}' version {version} is not at ready state")
        }
        None => format!("Request for unknown model: '{name}' has no available versions"),
    }
}

fn unknown_model(name: &str, version: Option<&str>) -> String {
    match version {
        Some(version) => {
            format!("Request for unknown model: '{name}' version {version} is not found")
        }
        None => format!("Request for unknown model: '{name}' is not found"),
    }
}
