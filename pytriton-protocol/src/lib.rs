//! What servers and clients of `pytriton` share. Pure: no I/O, no tasks.
//!
//! - [`tensor`]: element types, shapes, bytes.
//! - `proto`: the messages and the service of gRPC, with the feature of that name.

#[cfg(feature = "proto")]
pub mod proto;
pub mod tensor;
