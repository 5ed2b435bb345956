#![doc = include_str!("../README.md")]
//! # Features
//!
//! - `tract`: runs networks with tract; on by default.
#![forbid(unsafe_code)]

mod array;
mod element;
mod embedded;
mod error;
mod input;
#[cfg(not(feature = "tract"))]
mod no_tract;
mod session;
#[cfg(feature = "tract")]
mod tract;

#[cfg(not(feature = "tract"))]
use no_tract as tract;

pub use ndarray;
pub use pytriton_protocol::signature::ModelSignature;
pub use pytriton_protocol::signature::onnx::{
    BatchAxisError, Dimension, ElementType, Graph, OnnxError, ValueError, ValueInfo, ValueType,
};
pub use pytriton_protocol::tensor::{DataType, Tensor, TensorError};

pub use array::{array, with_rank};
pub use element::Element;
pub use embedded::Embedded;
pub use error::Error;
pub use input::Input;
pub use session::Session;
