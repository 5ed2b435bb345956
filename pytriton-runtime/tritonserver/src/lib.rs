//! The tritonserver engine of `pytriton`: NVIDIA's server serves the clients, and this process runs
//! the functions of the models.
//!
//! - [`triton`] finds, starts and supervises a tritonserver.
//! - [`server`] starts it with the options of a server, after their checks.
//! - [`worker`] runs the batches that its backend (`pytriton-backend`) gathers.
//! - [`native`] is the other way round: a library with models, which a tritonserver loads.
//!
//! On other targets than Linux on x86_64 and aarch64 the crate is empty.

#![cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    target_pointer_width = "64"
))]

mod backend_batch;
pub mod native;
pub mod server;
pub mod triton;
pub mod worker;
