//! Tensors: a datatype, a shape and bytes. Pure: no I/O, no tasks.
//!
//! A [`Tensor`] stores its elements in row-major order and little-endian, exactly as the KServe
//! binary extension and gRPC's raw contents do. So the bytes of a request become the array of a
//! function without a conversion.

mod aligned;
mod array;
mod bytes;
mod bytes_element;
mod dims;
mod element;
mod error;
#[cfg(feature = "json")]
mod json;
mod ragged;
mod shape;
mod stack;
#[expect(
    clippy::module_inception,
    reason = "the module is named after its main type"
)]
mod tensor;

pub use ::bytes::Bytes;

pub use aligned::AlignedBuffer;
pub use array::{array, array_view};
pub use bytes::{BytesElements, encode_bytes_elements, push_bytes_element};
pub use bytes_element::{BytesElement, ElementCheck, ElementError};
pub use dims::Dims;
pub use element::{ALLOCATION_BYTES, Element, Elements, numbers};
pub use error::TensorError;
#[cfg(feature = "json")]
pub use json::Json;
pub use pytriton_signature::DataType;
pub use ragged::{OffsetsError, Ragged, RaggedRows};
pub use shape::{dims_match, element_count, shape_text};
pub use stack::{rows, slice_rows, split, stack, stack_in_place};
pub use tensor::Tensor;
