use std::error::Error;
use std::fmt;

/// The bytes are not an ONNX model.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnnxError {
    /// The bytes are not a protobuf message, or end too early.
    Malformed {
        /// The offset of the invalid bytes.
        offset: usize,
    },
    /// A name is not valid UTF-8.
    NotUtf8 {
        /// The offset of the name.
        offset: usize,
    },
    /// The message contains no graph with an output.
    NoGraph,
}

impl fmt::Display for OnnxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed { offset } => {
                write!(
                    f,
                    "expected a protobuf message, found invalid bytes at offset {offset}"
                )
            }
            Self::NotUtf8 { offset } => write!(f, "the name at offset {offset} is not UTF-8"),
            Self::NoGraph => f.write_str("expected an ONNX model, found no graph with an output"),
        }
    }
}

impl Error for OnnxError {}
