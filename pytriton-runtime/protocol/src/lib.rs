#![doc = include_str!("../README.md")]
//! # Features
//!
//! - `json`: `Json<T>`, an element that is a value as JSON text.
//! - `proto`: the gRPC messages and the client of their service.

pub mod panic;
mod parameter;
#[cfg(feature = "proto")]
pub mod proto;
pub mod tensor;
pub mod typed;

pub use half;
pub use ndarray;
pub use parameter::ParameterValue;
/// Model signatures, signature files and compatibility checks.
pub use pytriton_signature as signature;
