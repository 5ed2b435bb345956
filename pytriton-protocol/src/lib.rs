//! What servers and clients of `pytriton` share. Pure: no I/O, no tasks.
//!
//! - [`tensor`]: element types, shapes, bytes.
//! - [`ParameterValue`]: what else a request or a response says.
//! - [`signature`]: what a model takes and returns, and what of a change breaks its callers.
//! - [`typed`]: the same as types.
//! - `proto`: the messages and the service of gRPC, with the feature of that name.

mod parameter;
#[cfg(feature = "proto")]
pub mod proto;
pub mod tensor;
pub mod typed;

pub use half;
pub use parameter::ParameterValue;
/// What a model takes and returns, the file it is written down in, and what of a change breaks its callers.
pub use pytriton_signature as signature;
