use std::io;

use thiserror::Error;

use crate::request::RequestError;
use crate::tensor::{DataType, TensorError};

/// The requests of a warm-up cannot be created.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WarmupError {
    /// A file cannot be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The path.
        path: String,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// A file is not in NumPy's format, or uses an unsupported variant of it.
    #[error("{path}: {reason}")]
    Npy {
        /// The path.
        path: String,
        /// The reason.
        reason: String,
    },
    /// The elements of a file have another datatype.
    #[error("{path} contains {got}, but input '{input}' expects {expected}")]
    DataType {
        /// The path.
        path: String,
        /// The input.
        input: String,
        /// The input's datatype.
        expected: DataType,
        /// The file's datatype.
        got: DataType,
    },
    /// The array in a file has another shape.
    #[error(
        "{path} has shape {got}, but input '{input}' expects {expected}, or one such array per row"
    )]
    Shape {
        /// The path.
        path: String,
        /// The input.
        input: String,
        /// The input's shape without the batch axis.
        expected: String,
        /// The file's shape.
        got: String,
    },
    /// The size of a file is not a multiple of a row.
    #[error("input '{input}' expects rows of {expected} {unit}, but {path} has {got}")]
    Size {
        /// The path.
        path: String,
        /// The input.
        input: String,
        /// The size of a row.
        expected: usize,
        /// Bytes or elements.
        unit: &'static str,
        /// The size of the file.
        got: usize,
    },
    /// The elements of a file are malformed.
    #[error("{path}: {source}")]
    Elements {
        /// The path.
        path: String,
        /// The cause.
        #[source]
        source: TensorError,
    },
    /// An input is too large.
    #[error(transparent)]
    Tensor(#[from] TensorError),
    /// The requests are invalid for the model.
    #[error(transparent)]
    Request(#[from] RequestError),
}
