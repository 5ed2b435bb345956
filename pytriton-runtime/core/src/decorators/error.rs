use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use crate::error::{self, ErrorKind};
use crate::memory_budget::MemoryBudgetError;
use crate::model::ModelSpec;
use crate::status::Status;
use crate::tensor::{DataType, TensorError};
use crate::text::in_log;

/// A step failed to process the inputs or outputs of a batch.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum StepError {
    /// The memory that the step needs cannot be reserved.
    #[error(transparent)]
    Budget(#[from] MemoryBudgetError),
    /// The step returned an error of its own.
    #[error("{message}")]
    Returned {
        /// The kind of the error.
        kind: ErrorKind,
        /// The error and its sources as displayed.
        message: String,
        /// How long the client should wait before it retries.
        retry_after: Option<Duration>,
    },
    /// The input does not exist.
    #[error("model '{model}' has no input '{input}'")]
    NoInput {
        /// The model.
        model: Arc<str>,
        /// The name of the input.
        input: String,
    },
    /// A default value was given for a required input.
    #[error(
        "input '{input}' of model '{model}' is required: only an optional input can have a default value"
    )]
    NotOptional {
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
    },
    /// The step needs a batch axis, which the model lacks.
    #[error("model '{model}' has no batch axis, but one of its steps requires batches")]
    NoBatchAxis {
        /// The model.
        model: Arc<str>,
    },
    /// The step adds rows to batches whose cost is limited.
    #[error(
        "model '{model}' limits the cost of its batches, and padded batches would exceed it: remove `cost` and `max_batch_cost`, or the padding"
    )]
    PaddedCost {
        /// The model.
        model: Arc<str>,
    },
    /// The step fills the input whose elements are the cost of a request.
    #[error(
        "input '{input}' of model '{model}' is the cost of a request, and requests that omit it would cost nothing: name another input as the cost, or remove its default value"
    )]
    FilledCost {
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
    },
    /// The step cannot process an input.
    #[error("input '{input}' of model '{model}': {source}")]
    Input {
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
        /// The cause.
        #[source]
        source: TensorError,
    },
    /// A step replaced an input with one that does not match the model.
    #[error("a step changed input '{input}' of model '{model}' to {got}, expected {expected}")]
    Replaced {
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
        /// The declared element type and shape.
        expected: String,
        /// The actual element type and shape.
        got: String,
    },
    /// The inputs of a batch have different numbers of rows.
    #[error(
        "a step changed input '{input}' of model '{model}' to {got} rows, but another input has {expected}"
    )]
    UnequalRows {
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
        /// The number of rows of the first input.
        expected: usize,
        /// The number of rows of this input.
        got: usize,
    },
    /// The groups of a step do not contain each row exactly once.
    #[error(
        "a step of model '{model}' split a batch of {rows} rows into groups that do not contain row {row} exactly once"
    )]
    Groups {
        /// The model.
        model: Arc<str>,
        /// The number of rows of the batch.
        rows: usize,
        /// The first row that is missing, duplicate or out of range.
        row: usize,
    },
    /// A step that changes the number of rows precedes one that forms groups.
    #[error(
        "a step of model '{model}' changes the number of rows before another step splits them into groups: move it after that step"
    )]
    RowsBeforeCut {
        /// The model.
        model: Arc<str>,
    },
    /// The step cannot process an output.
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
    /// An output has a different number of rows than the call.
    #[error(
        "output '{output}' of model '{model}' has {got} rows, expected {expected}: one for each row of the call"
    )]
    Rows {
        /// The model.
        model: Arc<str>,
        /// The output.
        output: Arc<str>,
        /// The number of rows of the call.
        expected: usize,
        /// The number of rows of the output.
        got: usize,
    },
    /// The element type of an output cannot represent the padding value.
    #[error(
        "output '{output}' of model '{model}' cannot be padded with {value}: its elements are {datatype}"
    )]
    Padding {
        /// The model.
        model: Arc<str>,
        /// The output.
        output: Arc<str>,
        /// The element type of the output.
        datatype: DataType,
        /// The padding value as text.
        value: String,
    },
    /// The rows of a `#[first_value]` input differ.
    #[error(
        "input '{input}' of model '{model}' must have one value for the whole batch, found {values}"
    )]
    DifferentValues {
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
        /// The values as text.
        values: String,
    },
}

impl StepError {
    /// Converts the error that a step returned. One of a [`Batch`](super::Batch), which `?` has
    /// converted, keeps its status.
    pub(crate) fn of(error: error::Error) -> Self {
        let error = match error.downcast_internal::<MemoryBudgetError>() {
            Ok(error) => return Self::Budget(error),
            Err(error) => error,
        };
        error
            .downcast_internal()
            .unwrap_or_else(|error| Self::Returned {
                kind: error.kind(),
                message: in_log(&format_args!("{error:#}")),
                retry_after: error.retry_time(),
            })
    }

    /// Returns an error if the model lacks a batch axis.
    pub(crate) fn need_batch_axis(model: &ModelSpec) -> Result<(), Self> {
        match model.batching() {
            true => Ok(()),
            false => Err(Self::NoBatchAxis {
                model: Arc::clone(&model.name),
            }),
        }
    }

    /// Returns the index of an input.
    pub(crate) fn need_input(model: &ModelSpec, input: &str) -> Result<usize, Self> {
        let index = model.input_index(input);
        index.ok_or_else(|| Self::NoInput {
            model: Arc::clone(&model.name),
            input: input.to_owned(),
        })
    }

    /// Returns the error for the input with this index.
    pub(crate) fn input(model: &ModelSpec, index: usize, source: TensorError) -> Self {
        Self::Input {
            model: Arc::clone(&model.name),
            input: Arc::clone(&model.inputs[index].name),
            source,
        }
    }

    /// Returns the error for the output with this index.
    pub(crate) fn output(model: &ModelSpec, index: usize, source: TensorError) -> Self {
        Self::Output {
            model: Arc::clone(&model.name),
            output: Arc::clone(&model.outputs[index].name),
            source,
        }
    }

    /// Returns the status of the error.
    pub(crate) fn status(&self) -> Status {
        match self {
            Self::Input { .. } | Self::DifferentValues { .. } => Status::InvalidArgument,
            Self::Budget(_) => Status::Exhausted,
            Self::Returned { kind, .. } => kind.status(),
            _ => Status::Internal,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::error::Error;

    use super::*;

    #[test]
    fn errors_keep_their_status() {
        let not_a_number = || -> Result<i32, Error> { Ok("x".parse::<i32>()?) };
        let budget = MemoryBudgetError { bytes: 2, limit: 1 };
        let refused = StepError::NoBatchAxis { model: "m".into() };
        let missing = StepError::Input {
            model: "m".into(),
            input: "x".into(),
            source: TensorError::Missing,
        };
        let table = [
            (Error::not_found("a"), Status::NotFound, "a".to_owned()),
            (
                Error::invalid_argument("a"),
                Status::InvalidArgument,
                "a".to_owned(),
            ),
            (
                not_a_number().unwrap_err(),
                Status::Internal,
                "x".parse::<i32>().unwrap_err().to_string(),
            ),
            (budget.into(), Status::Exhausted, budget.to_string()),
            (
                refused.clone().into(),
                Status::Internal,
                refused.to_string(),
            ),
            (
                missing.clone().into(),
                Status::InvalidArgument,
                missing.to_string(),
            ),
        ];
        for (error, status, message) in table {
            let error = StepError::of(error);
            assert_eq!((error.status(), error.to_string()), (status, message));
        }
    }
}
