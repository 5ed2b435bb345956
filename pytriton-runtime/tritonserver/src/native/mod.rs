//! The models as a native Triton backend: a stock tritonserver runs their functions in its own
//! process.
//!
//! `pytriton::backend!()` exports the entry points of [`Native`] from a `cdylib`. A batch is
//! gathered into memory of this library (one copy). From there its requests take the same path as
//! in the worker. The responses of a decoupled model go directly to tritonserver.

mod instance_thread;
#[expect(
    clippy::module_inception,
    reason = "the module is named after its main type"
)]
mod native;
mod queue;
mod respond;
mod running_batches;
mod triton_sink;

pub use native::Native;
pub use pytriton_backend::export;
