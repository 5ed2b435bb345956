use thiserror::Error;

use crate::tensor::{DataType, TensorError};

use super::Location;

/// What the user's function, or the door to it, says instead of outputs.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The function returned an error.
    #[error("model '{model}' failed: {message}")]
    Function {
        /// The model.
        model: &'static str,
        /// The error as it displays itself.
        message: String,
    },
    /// The function panicked.
    #[error("model '{model}' panicked: {message}")]
    Panic {
        /// The model.
        model: &'static str,
        /// The panic's message.
        message: String,
    },
    /// An input cannot be turned into the function's argument.
    #[error("input '{input}' of model '{model}': {source}")]
    Input {
        /// The model.
        model: &'static str,
        /// The input.
        input: &'static str,
        /// Why.
        #[source]
        source: TensorError,
    },
    /// An element of a `BYTES` input is cut off, which tritonserver leaves to its backend. The text is its own.
    #[error(
        "incomplete string data for inference input '{input}', expecting string of length {length} but only {available} bytes available"
    )]
    InputElement {
        /// The input.
        input: &'static str,
        /// The length its prefix gives.
        length: usize,
        /// The bytes that are there.
        available: usize,
    },
    /// The rows of a `#[first_value]` input differ.
    #[error(
        "input '{input}' of model '{model}' must have one value for the whole batch, found {values}"
    )]
    DifferentValues {
        /// The model.
        model: &'static str,
        /// The input.
        input: &'static str,
        /// The values that came.
        values: String,
    },
    /// A raw function returned more or fewer responses than it got requests.
    #[error("model '{model}' returned {got} responses for {expected} requests")]
    ResponseCount {
        /// The model.
        model: &'static str,
        /// The requests of the batch.
        expected: usize,
        /// The responses that came back.
        got: usize,
    },
    /// An output has more or fewer rows than the batch.
    #[error(
        "output '{output}' of model '{model}' has {got} rows, expected {expected}: one for each row of the batch"
    )]
    Rows {
        /// The model.
        model: &'static str,
        /// The output.
        output: &'static str,
        /// The rows of the batch.
        expected: usize,
        /// The rows that came back.
        got: usize,
    },
    /// An output has another shape than declared.
    #[error("output '{output}' of model '{model}' has shape {got}, expected {expected}")]
    OutputShape {
        /// The model.
        model: &'static str,
        /// The output.
        output: &'static str,
        /// The declared shape as text.
        expected: String,
        /// The shape that came back.
        got: String,
    },
    /// An output cannot be turned into a tensor.
    #[error("output '{output}' of model '{model}': {source}")]
    Output {
        /// The model.
        model: &'static str,
        /// The output.
        output: &'static str,
        /// Why.
        #[source]
        source: TensorError,
    },
    /// An instance could not be made.
    #[error("instance {instance} of model '{model}' could not be loaded: {message}")]
    Load {
        /// The model.
        model: &'static str,
        /// Which instance, from 0.
        instance: u32,
        /// The error as it displays itself.
        message: String,
    },
}

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
    /// An input that the model does not have.
    #[error("unexpected inference input '{input}' for model '{model}'")]
    UnknownInput {
        /// The model.
        model: &'static str,
        /// The name in the request.
        input: String,
    },
    /// An output that the model does not have.
    #[error("unexpected inference output '{output}' for model '{model}'")]
    UnknownOutput {
        /// The model.
        model: &'static str,
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
        model: &'static str,
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
        model: &'static str,
        /// The input.
        input: &'static str,
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
        model: &'static str,
        /// The input.
        input: &'static str,
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
        model: &'static str,
        /// The input.
        input: &'static str,
    },
    /// Inputs of different numbers of rows.
    #[error("{request}input '{input}' batch size does not match other inputs for '{model}'")]
    DifferentBatchSizes {
        /// The request's id as a prefix.
        request: RequestId,
        /// The model.
        model: &'static str,
        /// The input.
        input: &'static str,
    },
    /// More rows than the model takes at once.
    #[error("{request}inference request batch-size must be <= {max} for '{model}'")]
    BatchSize {
        /// The request's id as a prefix.
        request: RequestId,
        /// The model.
        model: &'static str,
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
        model: &'static str,
        /// The input.
        input: &'static str,
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
        model: &'static str,
        /// The input.
        input: &'static str,
        /// The bytes that are there.
        available: usize,
    },
    /// An element of a `BYTES` input that is cut off.
    #[error(
        "incomplete string data for inference input '{input}', expecting string of length {length} but only {available} bytes available"
    )]
    StringData {
        /// The input.
        input: &'static str,
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
        model: &'static str,
        /// The input.
        input: &'static str,
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
        model: &'static str,
        /// The input.
        input: &'static str,
        /// The elements of the shape.
        expected: usize,
        /// The element that is one too many, from 1.
        got: usize,
    },
    /// Elements that the shape does not ask for.
    #[error(
        "{request}input byte size mismatch for input '{input}' for model '{model}'. Expected {expected}, got {got}"
    )]
    ByteSize {
        /// The request's id as a prefix.
        request: RequestId,
        /// The model.
        model: &'static str,
        /// The input.
        input: &'static str,
        /// The bytes of the shape.
        expected: usize,
        /// The bytes that came.
        got: usize,
    },
    /// Bytes that are no elements.
    #[error("{request}input '{input}' for model '{model}': {source}")]
    Tensor {
        /// The request's id as a prefix.
        request: RequestId,
        /// The model.
        model: &'static str,
        /// The input.
        input: &'static str,
        /// Why.
        #[source]
        source: TensorError,
    },
}

/// A request's id as Triton puts it before a message.
///
/// # Examples
///
/// ```
/// # use pytriton_runtime::model::RequestId;
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

fn unknown_model(name: &str, version: Option<&str>) -> String {
    match version {
        Some(version) => {
            format!("Request for unknown model: '{name}' version {version} is not found")
        }
        None => format!("Request for unknown model: '{name}' is not found"),
    }
}

/// Why the registered models cannot be served.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// Two models of one name and version.
    #[error("model '{model}' version {version} is registered twice: at {first} and at {second}")]
    DuplicateModel {
        /// The name.
        model: &'static str,
        /// The version.
        version: u32,
        /// One place.
        first: Location,
        /// The other.
        second: Location,
    },
    /// Two inputs or two outputs of one name.
    #[error("model '{model}' at {location} has two tensors of the name '{tensor}'")]
    DuplicateTensor {
        /// The model.
        model: &'static str,
        /// Where it stands.
        location: Location,
        /// The name.
        tensor: &'static str,
    },
    /// `#[output]` stands more or less often than the function has outputs.
    #[error(
        "model '{model}' at {location} has {expected} outputs but {got} `#[output]` attributes"
    )]
    OutputCount {
        /// The model.
        model: &'static str,
        /// Where it stands.
        location: Location,
        /// The outputs of the return type.
        expected: usize,
        /// The attributes.
        got: usize,
    },
    /// A tensor whose shape and rank do not go together.
    #[error("{}", rank_text(model, location, tensor, *rank, *shape, *batching))]
    Rank {
        /// The model.
        model: &'static str,
        /// Where it stands.
        location: Location,
        /// The tensor.
        tensor: &'static str,
        /// The rank of the Rust array; `None` for any.
        rank: Option<usize>,
        /// The declared dims.
        shape: Option<&'static [i64]>,
        /// Whether axis 0 is the batch.
        batching: bool,
    },
}

fn rank_text(
    model: &str,
    location: &Location,
    tensor: &str,
    rank: Option<usize>,
    shape: Option<&[i64]>,
    batching: bool,
) -> String {
    let array = match rank {
        Some(rank) => format!("an array of rank {rank}"),
        None => "an array of any rank".to_owned(),
    };
    let axis = if batching {
        "axis 0 is the batch and does not count in `shape`"
    } else {
        "there is no batch axis"
    };
    let shape = match shape {
        Some(shape) => format!("shape {shape:?}"),
        None => "no shape".to_owned(),
    };
    format!(
        "tensor '{tensor}' of model '{model}' at {location} is {array} with {shape}; {axis}, and at least one dimension must remain"
    )
}
