use std::sync::Arc;

use thiserror::Error;

use crate::memory_budget::MemoryBudgetError;
use crate::model::ModelSpec;
use crate::status::Status;
use crate::tensor::{DataType, TensorError};

/// Why a step cannot take a batch to the function, or its outputs back.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum StepError {
    /// What the client sent is refused.
    #[error("{0}")]
    Refused(String),
    /// There is no room for what the step is to make.
    #[error(transparent)]
    Budget(#[from] MemoryBudgetError),
    /// The step itself failed.
    #[error("{0}")]
    Failed(String),
    /// The model has no input of that name.
    #[error("model '{model}' has no input '{input}'")]
    NoInput {
        /// The model.
        model: Arc<str>,
        /// The name.
        input: String,
    },
    /// A value for an input that no request may leave out.
    #[error(
        "input '{input}' of model '{model}' is in every request: only an optional one can have a value to be filled with"
    )]
    NotOptional {
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
    },
    /// A step that works on rows, and a model whose tensors have none.
    #[error("model '{model}' has no batch axis, and a step of it works on the rows of a batch")]
    NoBatchAxis {
        /// The model.
        model: Arc<str>,
    },
    /// An input cannot be taken through the step.
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
    /// An input was replaced by one that does not fit the model.
    #[error("a step made input '{input}' of model '{model}' {got}, expected {expected}")]
    Replaced {
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
        /// The element type and shape that the model declares.
        expected: String,
        /// What the step made of it.
        got: String,
    },
    /// The inputs of a batch have different numbers of rows.
    #[error("a step gave input '{input}' of model '{model}' {got} rows, and another {expected}")]
    UnequalRows {
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
        /// The rows of the first input.
        expected: usize,
        /// The rows of this one.
        got: usize,
    },
    /// Groups in which a row stands twice, or not at all.
    #[error(
        "a step of model '{model}' cut a batch of {rows} rows into groups in which row {row} does not stand once"
    )]
    Groups {
        /// The model.
        model: Arc<str>,
        /// The rows of the batch.
        rows: usize,
        /// The first that is missing, stands twice, or is none of the batch's.
        row: usize,
    },
    /// A step that changes the number of rows stands before one that cuts.
    #[error(
        "a step of model '{model}' changes the number of rows before another cuts them: write it after that one"
    )]
    RowsBeforeCut {
        /// The model.
        model: Arc<str>,
    },
    /// An output cannot be taken through the step.
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
    /// An output has more or fewer rows than the function was given.
    #[error(
        "output '{output}' of model '{model}' has {got} rows, expected {expected}: one for each row of the call"
    )]
    Rows {
        /// The model.
        model: Arc<str>,
        /// The output.
        output: Arc<str>,
        /// The rows of the call.
        expected: usize,
        /// The rows that came back.
        got: usize,
    },
    /// The elements of an output cannot be the value that it is to be padded with.
    #[error(
        "output '{output}' of model '{model}' cannot be padded with {value}, its elements are {datatype}"
    )]
    Padding {
        /// The model.
        model: Arc<str>,
        /// The output.
        output: Arc<str>,
        /// The output's element type.
        datatype: DataType,
        /// The value as text.
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
        /// The values that came.
        values: String,
    },
}

impl StepError {
    /// Refuses a model without a batch axis.
    pub(crate) fn need_batch_axis(model: &ModelSpec) -> Result<(), Self> {
        match model.batching() {
            true => Ok(()),
            false => Err(Self::NoBatchAxis {
                model: Arc::clone(&model.name),
            }),
        }
    }

    /// The index of the input of that name.
    pub(crate) fn need_input(model: &ModelSpec, input: &str) -> Result<usize, Self> {
        let index = model.input_index(input);
        index.ok_or_else(|| Self::NoInput {
            model: Arc::clone(&model.name),
            input: input.to_owned(),
        })
    }

    /// What is wrong with the input of that index.
    pub(crate) fn input(model: &ModelSpec, index: usize, source: TensorError) -> Self {
        Self::Input {
            model: Arc::clone(&model.name),
            input: Arc::clone(&model.inputs[index].name),
            source,
        }
    }

    /// What is wrong with the output of that index.
    pub(crate) fn output(model: &ModelSpec, index: usize, source: TensorError) -> Self {
        Self::Output {
            model: Arc::clone(&model.name),
            output: Arc::clone(&model.outputs[index].name),
            source,
        }
    }

    /// What kind of failure this is.
    pub(crate) fn status(&self) -> Status {
        match self {
            Self::Refused(_) | Self::Input { .. } | Self::DifferentValues { .. } => {
                Status::InvalidArgument
            }
            Self::Budget(_) => Status::Exhausted,
            _ => Status::Internal,
        }
    }
}
