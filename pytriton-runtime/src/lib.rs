//! The rooms behind `pytriton`, in the order in which a request walks through them.
//!
//! - [`http`], [`grpc`]: the doors.
//! - [`kserve`]: bytes to requests, responses to bytes; [`proto`]: the messages of the gRPC protocol.
//! - [`repository`]: the models that are being served.
//! - [`model`]: what is served, the check of a request against it, the door to the user's function.
//! - [`cache`]: responses that are kept for the next request of the same inputs.
//! - [`scheduler`]: where requests wait and are gathered.
//! - [`tensor`]: element types, shapes, bytes.
//! - [`statistics`]: what a model has done; [`metrics`]: the same as Prometheus text.
//!
//! Around them stands [`server`]: command line, listeners, start and stop. With the other engine tritonserver has the
//! first rooms: [`triton`] starts it and takes care of it, and on Linux `worker` runs the batches that it hands over.

pub mod cache;
mod error;
mod forward;
pub mod grpc;
#[cfg(target_os = "linux")]
mod handover;
mod host;
pub mod http;
pub mod kserve;
mod limits;
mod logging;
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
mod text;
pub mod triton;
#[cfg(target_os = "linux")]
pub mod worker;

pub use error::Error;
pub use forward::{HeaderForward, PatternError};
pub use half;
pub use inventory;
pub use limits::Limits;
pub use logging::LogFormat;
pub use ndarray;
pub use status::Status;
