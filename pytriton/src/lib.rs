//! Annotate a function, run the binary, and it is served over the KServe v2 / Triton HTTP and gRPC protocol.

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
pub mod prelude;

pub use pytriton_runtime::model::{Context, ParameterValue, Parameters, Request};
pub use pytriton_runtime::ndarray;
