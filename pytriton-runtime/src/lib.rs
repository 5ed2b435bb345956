//! The rooms behind `pytriton`, in the order in which a request walks through them.
//!
//! - [`grpc`]: the gRPC door.
//! - [`http`]: the HTTP door.
//! - [`kserve`]: bytes to requests, responses to bytes.
//! - [`model`]: what is served, the check of a request against it, the door to the user's function.
//! - [`metrics`]: statistics as Prometheus text.
//! - [`proto`]: the messages of the gRPC protocol.
//! - [`repository`]: the models that are being served.
//! - [`scheduler`]: where requests wait and are gathered.
//! - [`server`]: the house around them: command line, listeners, start and stop.
//! - [`statistics`]: what a model has done.
//! - [`tensor`]: element types, shapes, bytes.
//! - [`triton`]: the other engine: tritonserver as a child process.
//! - `worker`: the instances behind tritonserver, on Linux.

mod error;
mod forward;
pub mod grpc;
#[cfg(target_os = "linux")]
mod handover;
mod host;
pub mod http;
pub mod kserve;
mod limits;
pub mod metrics;
pub mod model;
#[cfg(target_os = "linux")]
pub mod native;
pub mod proto;
pub mod repository;
pub mod scheduler;
pub mod server;
pub mod statistics;
mod status;
pub mod tensor;
#[cfg(test)]
mod testing;
pub mod triton;
#[cfg(target_os = "linux")]
pub mod worker;

pub use error::Error;
pub use forward::{HeaderForward, PatternError};
pub use half;
pub use inventory;
pub use limits::Limits;
pub use ndarray;
pub use status::Status;
