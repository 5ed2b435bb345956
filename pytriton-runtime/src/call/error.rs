use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use crate::decorators::StepError;
use crate::memory_budget::MemoryBudgetError;
use crate::request::SequenceId;
use crate::status::Status;
use crate::tensor::{DataType, TensorError};
use crate::text::seconds;

use super::Loss;

/// What the user's function, or the door to it, says instead of outputs.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The function returned an error.
    #[error("model '{model}' failed: {message}")]
    Function {
        /// The model.
        model: Arc<str>,
        /// The error as it displays itself.
        message: String,
    },
    /// The function returned an error after which it can answer nothing any more.
    #[error("model '{model}' failed: {message}")]
    Unrecoverable {
        /// The model.
        model: Arc<str>,
        /// The error as it displays itself.
        message: String,
    },
    /// The function panicked. With `inline = true`, a note explains that the function must not
    /// block.
    #[error("model '{model}' panicked: {message}")]
    Panic {
        /// The model.
        model: Arc<str>,
        /// The panic's message.
        message: String,
    },
    /// The function did not return in time.
    #[error("model '{model}': the call took longer than {}", seconds(*limit))]
    CallTooLong {
        /// The model.
        model: Arc<str>,
        /// How long a call may take.
        limit: Duration,
    },
    /// The request is with an instance whose function does not return, in a call for others.
    #[error(
        "model '{model}': instance {instance} cannot answer the request, another call takes longer than {}",
        seconds(*limit)
    )]
    Hanging {
        /// The model.
        model: Arc<str>,
        /// Which instance, from 0.
        instance: u32,
        /// How long a call may take.
        limit: Duration,
    },
    /// An input cannot be turned into the function's argument.
    #[error("input '{input}' of model '{model}': {source}")]
    Input {
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
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
        input: Arc<str>,
        /// The length its prefix gives.
        length: usize,
        /// The bytes that are there.
        available: usize,
    },
    /// An element of an input that is no message.
    #[error("input '{input}' of model '{model}': element {index} is no message: {message}")]
    InputMessage {
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
        /// Which element, from 0.
        index: usize,
        /// Why.
        message: String,
    },
    /// The inputs of another request in the batch were refused, and the function may have been called.
    #[error(
        "model '{model}' could not execute the batch of the request: an input of another request in it was refused"
    )]
    Batch {
        /// The model.
        model: Arc<str>,
    },
    /// A step around the function refused the inputs, or failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// The memory of the batch, of the arguments or of the outputs cannot be reserved.
    #[error(transparent)]
    Budget(#[from] MemoryBudgetError),
    /// A raw function returned more or fewer responses than it got requests.
    #[error("model '{model}' returned {got} responses for {expected} requests")]
    ResponseCount {
        /// The model.
        model: Arc<str>,
        /// The requests of the batch.
        expected: usize,
        /// The responses that came back.
        got: usize,
    },
    /// A function that was bound at run time returned more or fewer outputs than its model has.
    #[error("model '{model}' returned {got} outputs, expected {expected}")]
    OutputCount {
        /// The model.
        model: Arc<str>,
        /// The outputs that are declared.
        expected: usize,
        /// The outputs that came back.
        got: usize,
    },
    /// It did not return an output.
    #[error("model '{model}' did not return output '{output}'")]
    MissingOutput {
        /// The model.
        model: Arc<str>,
        /// The output.
        output: Arc<str>,
    },
    /// It returned an output that its model has not.
    #[error("model '{model}' returned '{output}', which is none of its outputs")]
    UnknownOutput {
        /// The model.
        model: Arc<str>,
        /// The name.
        output: Arc<str>,
    },
    /// It returned an output of another element type.
    #[error("output '{output}' of model '{model}' is {got}, expected {expected}")]
    OutputDataType {
        /// The model.
        model: Arc<str>,
        /// The output.
        output: Arc<str>,
        /// The declared type.
        expected: DataType,
        /// The type that came back.
        got: DataType,
    },
    /// It asked for parameters although requests of different ones may be in one call.
    #[error(
        "model '{model}' asks for the parameters of a call, in which requests of different ones may be: write `by_parameters()`"
    )]
    Parameters {
        /// The model.
        model: Arc<str>,
    },
    /// It asked for an input as it is not.
    #[error("the function of model '{model}' asked for input '{input}': {source}")]
    Asked {
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
        /// What it asked for, and what there is.
        #[source]
        source: TensorError,
    },
    /// An output has more or fewer rows than the batch.
    #[error(
        "output '{output}' of model '{model}' has {got} rows, expected {expected}: one for each row of the batch"
    )]
    Rows {
        /// The model.
        model: Arc<str>,
        /// The output.
        output: Arc<str>,
        /// The rows of the batch.
        expected: usize,
        /// The rows that came back.
        got: usize,
    },
    /// An output has another shape than declared.
    #[error("output '{output}' of model '{model}' has shape {got}, expected {expected}")]
    OutputShape {
        /// The model.
        model: Arc<str>,
        /// The output.
        output: Arc<str>,
        /// The declared shape as text.
        expected: String,
        /// The shape that came back.
        got: String,
    },
    /// An output cannot be turned into a tensor.
    #[error("output '{output}' of model '{model}': {source}")]
    Output {
        /// The model.
        model: Arc<str>,
        /// The output.
        output: Arc<str>,
        /// Why.
        #[source]
        source: TensorError,
    },
    /// There is no state of the request's sequence any more.
    #[error(
        "the state of sequence {sequence} of model '{model}' is lost: {loss}; start the sequence again"
    )]
    SequenceLost {
        /// The model.
        model: Arc<str>,
        /// The sequence.
        sequence: SequenceId,
        /// Why.
        loss: Loss,
    },
    /// An instance could not be made.
    #[error("instance {instance} of model '{model}' could not be loaded: {message}")]
    Load {
        /// The model.
        model: Arc<str>,
        /// Which instance, from 0.
        instance: u32,
        /// The error as it displays itself.
        message: String,
    },
}

impl ModelError {
    /// Whether nothing can be answered after it; `panics` says whether a panic is such an error.
    pub(crate) fn is_unrecoverable(&self, panics: bool) -> bool {
        match self {
            Self::Unrecoverable { .. } => true,
            Self::Panic { .. } => panics,
            _ => false,
        }
    }

    /// Whether the client is to blame, and therefore one request alone.
    pub(crate) fn is_of_client(&self) -> bool {
        self.status() == Status::InvalidArgument
    }

    /// What kind of failure this is.
    pub fn status(&self) -> Status {
        match self {
            // An input whose bytes are no elements (a `String` that is no UTF-8, values that differ) is the client's.
            Self::Input { .. } | Self::InputElement { .. } | Self::InputMessage { .. } => {
                Status::InvalidArgument
            }
            Self::Step(error) => error.status(),
            Self::Budget(_) => Status::Exhausted,
            Self::CallTooLong { .. } => Status::DeadlineExceeded,
            Self::Hanging { .. } => Status::Unavailable,
            _ => Status::Internal,
        }
    }
}
