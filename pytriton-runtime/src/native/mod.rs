//! The models as a Triton backend of their own: a stock tritonserver runs their functions in its own process.
//!
//! `pytriton::backend!()` exports the entry points of [`Native`] from a `cdylib`. A batch is gathered into memory of this
//! library's (one copy), its requests are the same as in the worker, and so is everything after them. The answers of a
//! decoupled model go right into tritonserver.

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
