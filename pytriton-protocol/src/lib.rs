//! What servers and clients of `pytriton` share. Pure: no I/O, no tasks.
//!
//! - [`tensor`]: element types, shapes, bytes.
//! - [`ParameterValue`]: what else a request or a response says.
//! - `proto`: the messages and the service of gRPC, with the feature of that name.

mod parameter;
#[cfg(feature = "proto")]
pub mod proto;
pub mod tensor;

pub use parameter::ParameterValue;
