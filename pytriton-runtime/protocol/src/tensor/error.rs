use thiserror::Error;

use super::DataType;

/// The data, the shape or the datatype of a tensor is invalid or unexpected.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TensorError {
    /// The product of the dimensions, or the size in bytes, exceeds the address space.
    #[error("shape {shape} has more elements than memory can hold")]
    TooLarge {
        /// The shape as text.
        shape: String,
    },
    /// A dimension is negative.
    #[error("shape {shape} has a negative dimension")]
    NegativeDimension {
        /// The shape as text.
        shape: String,
    },
    /// The number of bytes does not match the shape.
    #[error("shape {shape} of {datatype} takes {expected} bytes, got {got}")]
    ByteSize {
        /// The datatype.
        datatype: DataType,
        /// The shape as text.
        shape: String,
        /// The number of bytes that the shape requires.
        expected: usize,
        /// The number of bytes received.
        got: usize,
    },
    /// The number of elements does not match the shape.
    #[error("shape {shape} holds {expected} elements, got {got}")]
    ElementCount {
        /// The shape as text.
        shape: String,
        /// The number of elements that the shape requires.
        expected: usize,
        /// The number of elements received.
        got: usize,
    },
    /// The length prefix of a `BYTES` element is truncated.
    #[error("element {index} has a length prefix of {available} bytes, expected 4")]
    TruncatedLength {
        /// The index of the element.
        index: usize,
        /// The number of bytes available.
        available: usize,
    },
    /// A `BYTES` element is shorter than its length prefix.
    #[error("element {index} is {length} bytes long but only {available} are available")]
    TruncatedElement {
        /// The index of the element.
        index: usize,
        /// The length according to the prefix.
        length: usize,
        /// The number of bytes available.
        available: usize,
    },
    /// A `BYTES` element that must be a `String` is not valid UTF-8.
    #[error("element {index} is not valid UTF-8, which a `String` must be")]
    NotUtf8 {
        /// The index of the element.
        index: usize,
    },
    /// A `BYTES` element exceeds the range of its 4-byte length prefix.
    #[error("element {index} is {length} bytes long, more than a BYTES element can be")]
    ElementTooLong {
        /// The index of the element.
        index: usize,
        /// Its length.
        length: usize,
    },
    /// A `BYTES` element is not a valid value of its type.
    #[error("element {index} cannot be decoded: {message}")]
    Decode {
        /// The index of the element.
        index: usize,
        /// The cause.
        message: String,
    },
    /// The function that decodes `BYTES` elements panicked.
    #[error("element {index} cannot be decoded: the decoder panicked: {message}")]
    DecoderPanic {
        /// The index of the element.
        index: usize,
        /// The message of the panic.
        message: String,
    },
    /// A value cannot be encoded as a `BYTES` element.
    #[error("element {index} cannot be encoded: {message}")]
    Encode {
        /// The index of the element.
        index: usize,
        /// The cause.
        message: String,
    },
    /// A byte of a `BOOL` tensor is neither 0 nor 1.
    #[error("element {index} of a BOOL tensor is {value}, expected 0 or 1")]
    NotBool {
        /// The index of the element.
        index: usize,
        /// The byte received.
        value: u8,
    },
    /// A number does not fit the datatype.
    #[error("element {index} is {value}, which {datatype} cannot hold")]
    OutOfRange {
        /// The datatype.
        datatype: DataType,
        /// The index of the element.
        index: usize,
        /// The number received.
        value: i64,
    },
    /// A required tensor is missing.
    #[error("the tensor is missing")]
    Missing,
    /// The tensor has another datatype than expected.
    #[error("expected {expected}, found {found}")]
    DataType {
        /// The expected datatype.
        expected: DataType,
        /// The datatype of the tensor.
        found: DataType,
    },
    /// The tensor has another number of dimensions than expected.
    #[error("expected {expected} dimensions, found shape {shape}")]
    Rank {
        /// The expected number of dimensions.
        expected: usize,
        /// The tensor's shape as text.
        shape: String,
    },
}

impl TensorError {
    /// Returns the index of the element that the error is about.
    pub fn element_mut(&mut self) -> Option<&mut usize> {
        match self {
            Self::TruncatedLength { index, .. }
            | Self::TruncatedElement { index, .. }
            | Self::NotUtf8 { index }
            | Self::ElementTooLong { index, .. }
            | Self::Decode { index, .. }
            | Self::DecoderPanic { index, .. }
            | Self::Encode { index, .. }
            | Self::NotBool { index, .. }
            | Self::OutOfRange { index, .. } => Some(index),
            _ => None,
        }
    }
}
