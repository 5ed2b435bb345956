use std::sync::Arc;

use thiserror::Error;

use crate::status::Status;
use crate::tensor::{DataType, TensorError};

/// Why a request does not fit its model. The texts are those of Triton 2.51.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RequestError {
    /// No model of that name and version.
    #[error("{}", unknown_model(name, version.as_deref()))]
    UnknownModel {
        /// The name in the request.
        name: String,
        /// The version in the request, if it gave one.
        version: Option<String>,
    },
    /// A model that is there, and is not loaded.
    #[error("{}", unloaded_model(name, version.as_deref()))]
    UnloadedModel {
        /// The name in the request.
        name: String,
        /// The version in the request, if it gave one.
        version: Option<String>,
    },
    /// An input that the model does not have.
    #[error("unexpected inference input '{input}' for model '{model}'")]
    UnknownInput {
        /// The model.
        model: Arc<str>,
        /// The name in the request.
        input: String,
    },
    /// An output that the model does not have.
    #[error("unexpected inference output '{output}' for model '{model}'")]
    UnknownOutput {
        /// The model.
        model: Arc<str>,
        /// The name in the request.
        output: String,
    },
    /// An input that stands twice.
    #[error("{request}input '{input}' already exists in request")]
    DuplicateInput {
        /// The request's id as a prefix.
        request: RequestId,
        /// The input.
        input: String,
    },
    /// More or fewer inputs than the model takes.
    #[error(
        "{request}expected {expected} but got {got} inputs for model '{model}'. Got input(s) [{names}], but missing required input(s) [{missing}]. Please provide all required input(s)."
    )]
    InputCount {
        /// The request's id as a prefix.
        request: RequestId,
        /// The model.
        model: Arc<str>,
        /// How many inputs the model takes, in Triton's words.
        expected: String,
        /// How many came.
        got: usize,
        /// The names that came, quoted.
        names: String,
        /// The names that are missing, quoted.
        missing: String,
    },
    /// Another element type than the model takes.
    #[error(
        "{request}inference input '{input}' data-type is '{got}', but model '{model}' expects '{expected}'"
    )]
    DataType {
        /// The request's id as a prefix.
        request: RequestId,
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
        /// What the model takes.
        expected: DataType,
        /// What came.
        got: DataType,
    },
    /// Another shape than the model takes.
    #[error(
        "{request}unexpected shape for input '{input}' for model '{model}'. Expected {expected}, got {got}. {note}"
    )]
    Shape {
        /// The request's id as a prefix.
        request: RequestId,
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
        /// The dims the model takes, as text.
        expected: String,
        /// The shape that came, as text.
        got: String,
        /// Triton's hint on the batch axis, or nothing.
        note: &'static str,
    },
    /// A shape without the batch axis.
    #[error(
        "{request}input '{input}' has no shape but model requires batch dimension for '{model}'"
    )]
    NoBatchAxis {
        /// The request's id as a prefix.
        request: RequestId,
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
    },
    /// Inputs of different numbers of rows.
    #[error("{request}input '{input}' batch size does not match other inputs for '{model}'")]
    DifferentBatchSizes {
        /// The request's id as a prefix.
        request: RequestId,
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
    },
    /// More rows than the model takes at once.
    #[error("{request}inference request batch-size must be <= {max} for '{model}'")]
    BatchSize {
        /// The request's id as a prefix.
        request: RequestId,
        /// The model.
        model: Arc<str>,
        /// The largest batch.
        max: u32,
    },
    /// A dimension that a request leaves open.
    #[error(
        "{request}All input dimensions should be specified for input '{input}' for model '{model}', got {got}"
    )]
    OpenDimension {
        /// The request's id as a prefix.
        request: RequestId,
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
        /// The shape that came, as text.
        got: String,
    },
    /// A length prefix of a `BYTES` input that is cut off.
    #[error(
        "{request}incomplete string length indicator for inference input '{input}' for model '{model}', expecting 4 bytes but only {available} bytes available. Please make sure the string length indicator is in one buffer."
    )]
    StringLength {
        /// The request's id as a prefix.
        request: RequestId,
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
        /// The bytes that are there.
        available: usize,
    },
    /// An element of a `BYTES` input that is cut off.
    #[error(
        "incomplete string data for inference input '{input}', expecting string of length {length} but only {available} bytes available"
    )]
    StringData {
        /// The input.
        input: Arc<str>,
        /// The length its prefix gives.
        length: usize,
        /// The bytes that are there.
        available: usize,
    },
    /// Fewer elements of a `BYTES` input than its shape asks for.
    #[error(
        "{request}expected {expected} string elements for inference input '{input}' for model '{model}', got {got}"
    )]
    TooFewStrings {
        /// The request's id as a prefix.
        request: RequestId,
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
        /// The elements of the shape.
        expected: usize,
        /// The elements that came.
        got: usize,
    },
    /// More elements of a `BYTES` input than its shape asks for.
    #[error(
        "{request}unexpected number of string elements {got} for inference input '{input}' for model '{model}', expecting {expected}"
    )]
    TooManyStrings {
        /// The request's id as a prefix.
        request: RequestId,
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
        /// The elements of the shape.
        expected: usize,
        /// The element that is one too many, from 1.
        got: usize,
    },
    /// A batch of no rows.
    #[error(
        "{request}inference request batch-size must be >= 1 for '{model}', but input '{input}' has no rows"
    )]
    NoRows {
        /// The request's id as a prefix.
        request: RequestId,
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
    },
    /// Elements that the shape does not ask for.
    #[error(
        "{request}input byte size mismatch for input '{input}' for model '{model}'. Expected {expected}, got {got}"
    )]
    ByteSize {
        /// The request's id as a prefix.
        request: RequestId,
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
        /// The bytes of the shape.
        expected: usize,
        /// The bytes that came.
        got: usize,
    },
    /// An element that is none of its type: a `BOOL` byte above 1, or text that is no UTF-8.
    #[error("input '{input}' of model '{model}': {source}")]
    Element {
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
        /// Which element, and why.
        #[source]
        source: TensorError,
    },
    /// Bytes that are no elements.
    #[error("{request}input '{input}' for model '{model}': {source}")]
    Tensor {
        /// The request's id as a prefix.
        request: RequestId,
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
        /// Why.
        #[source]
        source: TensorError,
    },
}

impl RequestError {
    /// What kind of failure this is.
    pub fn status(&self) -> Status {
        match self {
            Self::UnloadedModel {
                version: Some(_), ..
            } => Status::Unavailable,
            Self::UnknownModel { .. } | Self::UnloadedModel { .. } => Status::NotFound,
            _ => Status::InvalidArgument,
        }
    }
}

/// A request's id as Triton puts it before a message.
///
/// # Examples
///
/// ```
/// # use pytriton_runtime::request::RequestId;
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
