use std::sync::Arc;

use thiserror::Error;

use crate::model::ModelSpec;
use crate::status::Status;
use crate::tensor::TensorError;

/// An input of a request cannot be turned into the function's argument.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum InputError {
    /// An input cannot be turned into the function's argument.
    #[error("input '{input}' of model '{model}': {source}")]
    Tensor {
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
        /// The cause.
        #[source]
        source: TensorError,
    },
    /// An element of a `BYTES` input is truncated. tritonserver leaves this check to its backends.
    /// The message is tritonserver's.
    #[error(
        "incomplete string data for inference input '{input}', expecting string of length {length} but only {available} bytes available"
    )]
    Element {
        /// The input.
        input: Arc<str>,
        /// The length in its prefix.
        length: usize,
        /// The number of bytes that remain.
        available: usize,
    },
    /// An element of an input is not a valid message.
    #[error(
        "input '{input}' of model '{model}': element {index} is not a valid message: {message}"
    )]
    Message {
        /// The model.
        model: Arc<str>,
        /// The input.
        input: Arc<str>,
        /// The index of the element, starting at 0.
        index: usize,
        /// The cause.
        message: String,
    },
}

impl InputError {
    /// The error of the input with this index.
    pub fn new(spec: &ModelSpec, input: usize, source: TensorError) -> Self {
        let input = spec.inputs.get(input);
        Self::Tensor {
            model: Arc::clone(&spec.name),
            input: input.map_or_else(Arc::default, |input| Arc::clone(&input.name)),
            source,
        }
    }

    /// The status of the error. Invalid elements, such as text that is not UTF-8, are the client's
    /// fault.
    pub fn status(&self) -> Status {
        match self {
            Self::Tensor {
                source: TensorError::DecoderPanic { .. },
                ..
            } => Status::Internal,
            _ => Status::InvalidArgument,
        }
    }
}
