#![doc = include_str!("../README.md")]
//! # Features
//!
//! - `proto`: the gRPC messages and the client of their service.

#![expect(
    clippy::disallowed_methods,
    reason = "this crate is for clients, too, which reserve nothing"
)]

mod parameter;
#[cfg(feature = "proto")]
pub mod proto;
pub mod tensor;
pub mod typed;

pub use half;
pub use parameter::ParameterValue;
/// Model signatures, signature files and compatibility checks.
pub use pytriton_signature as signature;
