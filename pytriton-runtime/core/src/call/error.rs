use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use crate::decorators::StepError;
use crate::error::ErrorKind;
use crate::memory_budget::MemoryBudgetError;
use crate::model::ModelSpec;
use crate::request::{InputError, SequenceId};
use crate::status::Status;
use crate::tensor::{DataType, TensorError};
use crate::text::{in_log, seconds};

use super::Loss;

/// An error of the user's function, or of its invocation.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The function returned an error.
    #[error("model '{model}'{}: {message}", if kind.status() == Status::Internal { " failed" } else { "" })]
    Function {
        /// The model.
        model: Arc<str>,
        /// The kind of the error.
        kind: ErrorKind,
        /// The error and its sources as displayed.
        message: String,
        /// How long the client should wait before it retries.
        retry_after: Option<Duration>,
    },
    /// The function panicked. With `inline = true`, a note explains that the function must not
    /// block.
    #[error("model '{model}' panicked: {message}")]
    Panic {
        /// The model.
        model: Arc<str>,
        /// The message of the panic.
        message: String,
    },
    /// The function did not return in time.
    #[error("model '{model}': the call took longer than {}", seconds(*limit))]
    CallTooLong {
        /// The model.
        model: Arc<str>,
        /// The maximum duration of a call.
        limit: Duration,
    },
    /// The request was assigned to an instance that is stalled in an earlier call.
    #[error(
        "model '{model}': instance {instance} cannot execute the request, because another call takes longer than {}",
        seconds(*limit)
    )]
    Hanging {
        /// The model.
        model: Arc<str>,
        /// The index of the instance, starting at 0.
        instance: u32,
        /// The maximum duration of a call.
        limit: Duration,
    },
    /// An input cannot be turned into the function's argument.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A request in the batch was refused, possibly another client's. The log contains the reason.
    #[error("model '{model}' could not execute the request's batch: a request in it was refused")]
    Batch {
        /// The model.
        model: Arc<str>,
    },
    /// A step refused the inputs or failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// The memory of the batch, of the arguments or of the outputs cannot be reserved.
    #[error(transparent)]
    Budget(#[from] MemoryBudgetError),
    /// A raw function returned a different number of responses than it received requests.
    #[error("model '{model}' returned {got} responses for {expected} requests")]
    ResponseCount {
        /// The model.
        model: Arc<str>,
        /// The number of requests in the batch.
        expected: usize,
        /// The number of responses.
        got: usize,
    },
    /// A function that was bound at run time returned a different number of outputs than declared.
    #[error("model '{model}' returned {got} outputs, expected {expected}")]
    OutputCount {
        /// The model.
        model: Arc<str>,
        /// The number of declared outputs.
        expected: usize,
        /// The number of returned outputs.
        got: usize,
    },
    /// The function did not return an output.
    #[error("model '{model}' did not return output '{output}'")]
    MissingOutput {
        /// The model.
        model: Arc<str>,
        /// The output.
        output: Arc<str>,
    },
    /// The calls for the rows of one request do not all return an optional output. Steps had split
    /// the rows into several calls.
    #[error(
        "model '{model}' returned output '{output}' for only some rows of the request: return it for all of them, or for none"
    )]
    PartialOutput {
        /// The model.
        model: Arc<str>,
        /// The output.
        output: Arc<str>,
    },
    /// The function returned an output that the model does not declare.
    #[error("model '{model}' returned '{output}', which is not one of its outputs")]
    UnknownOutput {
        /// The model.
        model: Arc<str>,
        /// The name of the output.
        output: Arc<str>,
    },
    /// The function returned an output with another element type than declared.
    #[error("output '{output}' of model '{model}' is {got}, expected {expected}")]
    OutputDataType {
        /// The model.
        model: Arc<str>,
        /// The output.
        output: Arc<str>,
        /// The declared type.
        expected: DataType,
        /// The type of the returned output.
        got: DataType,
    },
    /// The function of a run-time model read a ragged input with `array`, or another input with
    /// `ragged`.
    #[error("model '{model}' reads its input '{input}' with the wrong method: {}", match is_ragged {
        true => "it is ragged: read it with `ragged`",
        false => "it is not ragged: read it with `array`, or declare it with `ragged()`",
    })]
    WrongMethod {
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
        /// Whether the input is declared as ragged.
        is_ragged: bool,
    },
    /// A function that was bound at run time called a model that it does not declare.
    #[error("model '{model}' calls model '{callee}': declare it with `calls::<…>()`")]
    UndeclaredCall {
        /// The model.
        model: Arc<str>,
        /// The called model.
        callee: String,
    },
    /// The function used the parameters of a call whose requests may have different parameters.
    #[error(
        "model '{model}' reads the parameters of a batch, whose requests may have different parameters: set `by_parameters()`"
    )]
    Parameters {
        /// The model.
        model: Arc<str>,
    },
    /// The function used the client of a model that was not declared with it.
    #[error("model '{model}' reads the client of a request: declare it with `by_identity()`")]
    Identity {
        /// The model.
        model: Arc<str>,
    },
    /// A run-time function used the cancellation of a model that was not declared with it.
    #[error("model '{model}' reads the cancellation of a call: declare it with `cancellable()`")]
    Cancellation {
        /// The model.
        model: Arc<str>,
    },
    /// A run-time function used the sequences of a model without sequences.
    #[error(
        "model '{model}' reads the sequence of a request: declare it with `sequence_batching(…)`"
    )]
    NoSequences {
        /// The model.
        model: Arc<str>,
    },
    /// A run-time function called `responses()` but returned outputs instead of `Ok(())`.
    #[error(
        "model '{model}' sends responses, but returns outputs too: return `Ok(())`, and send every response"
    )]
    NoResponses {
        /// The model.
        model: Arc<str>,
    },
    /// The function read an input as another type or shape than it has.
    #[error("the function of model '{model}' requested input '{input}': {source}")]
    InputMismatch {
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
        /// The mismatch.
        #[source]
        source: TensorError,
    },
    /// An output has a different number of rows than the batch.
    #[error(
        "output '{output}' of model '{model}' has {got} rows, expected {expected}: one for each row of the batch"
    )]
    Rows {
        /// The model.
        model: Arc<str>,
        /// The output.
        output: Arc<str>,
        /// The number of rows of the batch.
        expected: usize,
        /// The number of rows of the output.
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
        /// The shape of the output as text.
        got: String,
    },
    /// An output cannot be converted to a tensor.
    #[error("output '{output}' of model '{model}': {source}")]
    Output {
        /// The model.
        model: Arc<str>,
        /// The output.
        output: Arc<str>,
        /// The cause.
        #[source]
        source: TensorError,
    },
    /// The state of the request's sequence no longer exists.
    #[error(
        "the state of sequence {sequence} of model '{model}' is lost: {loss}; start the sequence again"
    )]
    SequenceLost {
        /// The model.
        model: Arc<str>,
        /// The sequence.
        sequence: SequenceId,
        /// The cause.
        loss: Loss,
    },
    /// An instance could not be created.
    #[error("instance {instance} of model '{model}' could not be loaded: {message}")]
    Load {
        /// The model.
        model: Arc<str>,
        /// The index of the instance, starting at 0.
        instance: u32,
        /// The error as displayed.
        message: String,
    },
}

impl ModelError {
    /// Creates the error of a function.
    pub(crate) fn function(
        model: &ModelSpec,
        kind: ErrorKind,
        retry_after: Option<Duration>,
        message: &impl Display,
    ) -> Self {
        Self::Function {
            model: Arc::clone(&model.name),
            kind,
            message: in_log(message),
            retry_after,
        }
    }

    /// Creates an error of the kind [`Internal`](ErrorKind::Internal) from a function's message.
    pub fn internal(model: &ModelSpec, message: &impl Display) -> Self {
        Self::function(model, ErrorKind::Internal, None, message)
    }

    /// Returns how long the client should wait before it retries, if the function set it.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Function { retry_after, .. }
            | Self::Step(StepError::Returned { retry_after, .. }) => *retry_after,
            _ => None,
        }
    }

    /// Returns whether the error is fatal for the model. `panics` states whether panics are fatal.
    pub(crate) fn is_unrecoverable(&self, panics: bool) -> bool {
        match self {
            Self::Function { kind, .. } | Self::Step(StepError::Returned { kind, .. }) => {
                *kind == ErrorKind::Unrecoverable
            }
            Self::Panic { .. } => panics,
            _ => false,
        }
    }

    /// Returns whether the client caused the error, which then affects only its own request.
    pub fn is_of_client(&self) -> bool {
        self.status().is_of_client()
    }

    /// Returns the status of the error.
    pub fn status(&self) -> Status {
        match self {
            Self::Input(error) => error.status(),
            Self::Function { kind, .. } => kind.status(),
            Self::Step(error) => error.status(),
            Self::Budget(_) => Status::Exhausted,
            Self::CallTooLong { .. } => Status::DeadlineExceeded,
            Self::Hanging { .. } => Status::Unavailable,
            _ => Status::Internal,
        }
    }
}
