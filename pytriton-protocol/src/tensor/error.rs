use thiserror::Error;

use super::DataType;

/// Why bytes and a shape make no tensor.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TensorError {
    /// The product of the dimensions, or its size in bytes, does not fit the address space.
    #[error("shape {shape} holds more elements than memory can")]
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
    /// The bytes are more or fewer than the shape asks for.
    #[error("shape {shape} of {datatype} takes {expected} bytes, got {got}")]
    ByteSize {
        /// The element type.
        datatype: DataType,
        /// The shape as text.
        shape: String,
        /// What the shape asks for.
        expected: usize,
        /// What came.
        got: usize,
    },
    /// The elements are more or fewer than the shape asks for.
    #[error("shape {shape} holds {expected} elements, got {got}")]
    ElementCount {
        /// The shape as text.
        shape: String,
        /// What the shape asks for.
        expected: usize,
        /// What came.
        got: usize,
    },
    /// A `BYTES` element's length prefix is cut off.
    #[error("element {index} has a length prefix of {available} bytes, expected 4")]
    TruncatedLength {
        /// Which element, from 0.
        index: usize,
        /// The bytes that are there.
        available: usize,
    },
    /// A `BYTES` element is shorter than its length prefix says.
    #[error("element {index} is {length} bytes long but only {available} are there")]
    TruncatedElement {
        /// Which element, from 0.
        index: usize,
        /// The length its prefix gives.
        length: usize,
        /// The bytes that are there.
        available: usize,
    },
    /// A `BYTES` element that a function wants as a `String` is no UTF-8.
    #[error("element {index} is not valid UTF-8, which a `String` must be")]
    NotUtf8 {
        /// Which element, from 0.
        index: usize,
    },
    /// A `BYTES` element is longer than its 4-byte length prefix can say.
    #[error("element {index} is {length} bytes long, more than a BYTES element can be")]
    ElementTooLong {
        /// Which element, from 0.
        index: usize,
        /// Its length.
        length: usize,
    },
    /// A byte of a `BOOL` tensor is neither 0 nor 1.
    #[error("element {index} of a BOOL tensor is {value}, expected 0 or 1")]
    NotBool {
        /// Which element, from 0.
        index: usize,
        /// The byte that came.
        value: u8,
    },
    /// A number does not fit the element type.
    #[error("element {index} is {value}, which {datatype} cannot hold")]
    OutOfRange {
        /// The element type.
        datatype: DataType,
        /// Which element, from 0.
        index: usize,
        /// The number that came.
        value: i64,
    },
    /// A tensor that must be there is not.
    #[error("the tensor is missing")]
    Missing,
    /// A tensor is asked for as another element type than it has.
    #[error("expected {expected}, found {found}")]
    DataType {
        /// What was asked for.
        expected: DataType,
        /// What the tensor holds.
        found: DataType,
    },
    /// A tensor is asked for with another number of dimensions than it has.
    #[error("expected {expected} dimensions, found shape {shape}")]
    Rank {
        /// What was asked for.
        expected: usize,
        /// The tensor's shape as text.
        shape: String,
    },
}
