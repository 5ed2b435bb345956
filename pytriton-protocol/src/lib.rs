//! Types shared by servers and clients of `pytriton`. Pure: no I/O, no tasks.
//!
//! - [`tensor`]: datatypes, shapes, bytes.
//! - [`ParameterValue`]: parameters of requests and responses.
//! - [`signature`]: model signatures and compatibility checks.
//! - [`typed`]: model signatures as types.
//! - `proto`: the gRPC messages and service (feature `proto`).

mod parameter;
#[cfg(feature = "proto")]
pub mod proto;
pub mod tensor;
pub mod typed;

pub use half;
pub use parameter::ParameterValue;
/// Model signatures, signature files and compatibility checks.
pub use pytriton_signature as signature;
