use std::io;

use thiserror::Error;

use crate::request::RequestError;
use crate::tensor::{DataType, TensorError};

/// Why there are no requests for a warm-up.
#[derive(Debug, Error)]
#[non_exhaustive]
pub(crate) enum WarmupError {
    /// A file cannot be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// Its path.
        path: String,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A file is none of numpy's, or not of the form that is read here.
    #[error("{path}: {reason}")]
    Npy {
        /// Its path.
        path: String,
        /// Why.
        reason: String,
    },
    /// The elements of a file have another type.
    #[error("{path} holds {got}, but input '{input}' expects {expected}")]
    DataType {
        /// Its path.
        path: String,
        /// The input.
        input: String,
        /// The input's type.
        expected: DataType,
        /// The file's.
        got: DataType,
    },
    /// The array of a file has another shape.
    #[error(
        "{path} has shape {got}, but input '{input}' expects {expected}, or as many rows of it"
    )]
    Shape {
        /// Its path.
        path: String,
        /// The input.
        input: String,
        /// The input's dims without the batch axis.
        expected: String,
        /// The file's shape.
        got: String,
    },
    /// A file has more or less than whole rows.
    #[error("input '{input}' expects rows of {expected} {unit}, but {path} has {got}")]
    Size {
        /// Its path.
        path: String,
        /// The input.
        input: String,
        /// How much a row is.
        expected: usize,
        /// Bytes, or elements.
        unit: &'static str,
        /// How much there is.
        got: usize,
    },
    /// The elements of a file are none.
    #[error("{path}: {source}")]
    Elements {
        /// Its path.
        path: String,
        /// Why.
        #[source]
        source: TensorError,
    },
    /// An input is too large.
    #[error(transparent)]
    Tensor(#[from] TensorError),
    /// The requests do not fit their model.
    #[error(transparent)]
    Request(#[from] RequestError),
}
