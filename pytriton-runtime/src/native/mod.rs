//! The models as a native Triton backend: a stock tritonserver runs their functions in its own
//! process.
//!
//! `pytriton::backend!()` exports the entry points of [`Native`] from a `cdylib`. A batch is
//! gathered into memory of this library (one copy). From there its requests take the same path as
//! in the worker. The responses of a decoupled model go directly to tritonserver.

mod gate;
#[expect(
    clippy::module_inception,
    reason = "the room and the noun share their name"
)]
mod native;
mod outlet;
mod place;
mod queue;
mod respond;

pub use native::Native;
pub use pytriton_backend::export;
