//! The rooms behind `pytriton`, in the order in which a request walks through them.
//!
//! - [`http`], [`grpc`]: the doors.
//! - [`reception`]: between the doors and the models: one state, one error, one admission; [`access`]: who may ask for what;
//!   [`memory_budget`]: the bytes that all requests and responses may hold.
//! - [`kserve`]: bytes to requests, responses to bytes; [`proto`]: the messages of the gRPC protocol.
//! - [`serving`]: the models that are being served.
//! - [`model`]: what is declared of it; [`registry`]: the declarations of a binary; [`configuration`]: what Triton shows of it.
//! - [`bound`]: models that are put together at run time.
//! - [`shared_memory`]: what clients share with the server, and what requests have there.
//! - [`timeline`]: what happened to requests and when, written down.
//! - [`request`]: what is asked, and its check against the model; [`call`]: the door to the user's function.
//! - [`openai`]: models over OpenAI's routes: what is asked there as a request of the generate extension, and back.
//! - `openapi`: what the routes take and answer, written down for generators of clients.
//! - [`cache`]: responses that are kept for the next request of the same inputs.
//! - [`scheduler`]: where requests wait and are gathered.
//! - `runner`: the instances that run them; `watchdog`: who answers in the place of one that hangs.
//! - [`tensor`]: element types, shapes, bytes.
//! - [`statistics`]: what a model has done; [`metrics`]: the same as Prometheus text.
//!
//! Around them stands [`server`]: command line, listeners, start and stop; [`tls`]: the certificates of the ports;
//! [`engine`] chooses what serves. With the other
//! engine tritonserver has the first rooms: [`triton`] starts it and takes care of it, and [`worker`] runs the batches
//! that it hands over; `claims`: answers that leave past it.
//!
//! # Features
//!
//! - `embedded`: the doors, the codecs, the cache and the models that are served here.
//! - `tritonserver`: the other engine, and [`native`]; on Linux on x86_64 and aarch64, elsewhere nothing.
//! - `otel`: spans of requests to a collector.
//! - `fuzzing`: entry points for the fuzz targets of this repository; not public API.

#[cfg(not(any(feature = "embedded", feature = "tritonserver")))]
compile_error!(
    "pytriton has no engine: give it the feature `embedded`, the feature `tritonserver`, or both, as it has them without \
     `default-features = false`"
);

#[cfg(all(feature = "tritonserver", not(any(feature = "embedded", tritonserver))))]
compile_error!(
    "pytriton has no engine for this target: tritonserver runs on Linux on x86_64 and aarch64 alone, give it the feature \
     `embedded`"
);

pub mod access;
mod backend_macro;
pub mod bound;

#[cfg(feature = "embedded")]
pub mod cache;
pub mod call;
#[cfg(tritonserver)]
mod claims;
pub mod configuration;
pub mod decorators;
pub mod engine;
mod forward;
#[cfg(all(feature = "embedded", any(test, feature = "fuzzing")))]
#[doc(hidden)]
pub mod fuzzing;
#[cfg(tritonserver)]
mod gathered;
#[cfg(feature = "embedded")]
pub mod grpc;
#[expect(unsafe_code, reason = "the allocator is asked in C alone")]
mod heap;
#[cfg(feature = "embedded")]
mod heavy;
#[cfg(all(feature = "embedded", tritonserver))]
mod hosted;
#[cfg(feature = "embedded")]
pub mod http;
mod json;
#[cfg(feature = "embedded")]
pub mod kserve;
mod limits;
mod logging;
pub mod memory_budget;
#[cfg(feature = "embedded")]
pub mod metrics;
pub mod model;
#[cfg(tritonserver)]
pub mod native;
pub mod openai;
mod openapi;
mod panic;
#[cfg(feature = "embedded")]
pub mod reception;
pub mod registry;
pub mod request;
mod runner;
pub mod scheduler;
pub mod server;
#[cfg(feature = "embedded")]
pub mod serving;
#[cfg(feature = "embedded")]
pub mod shared_memory;
mod soon;
pub mod statistics;
mod status;
#[cfg(test)]
mod testing;
mod text;
#[cfg(feature = "embedded")]
pub mod timeline;
pub mod tls;
mod trace;
#[cfg(feature = "embedded")]
mod tracked_buffer;
mod tracked_bytes;
#[cfg(tritonserver)]
pub mod triton;
mod warmup;
mod watchdog;
#[cfg(tritonserver)]
pub mod worker;

pub use forward::{HeaderForward, PatternError};
pub use half;
pub use inventory;
pub use limits::Limits;
#[cfg(feature = "embedded")]
pub use logging::LogError;
pub use logging::LogFormat;
pub use ndarray;
#[cfg(feature = "embedded")]
pub use pytriton_protocol::proto;
pub use pytriton_protocol::tensor;
pub use request::{Sequence, SequenceId};
pub use status::Status;
pub use trace::{TracesError, TracesExporter};
