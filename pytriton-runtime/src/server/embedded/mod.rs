//! The embedded engine as a part of the process: its runtimes, its choice, and what a program can
//! do only with this engine ([`Local`], and routers).
//!
//! `no_embedded.rs` replaces this module in a binary without the engine.

#[cfg(test)]
mod arrival_tests;
#[cfg(test)]
mod blocked_log_tests;
mod chosen;
#[cfg(test)]
mod compressed_health_tests;
mod engine;
#[cfg(test)]
mod inline_tests;
mod local;
mod router;
mod serve;
#[cfg(test)]
mod tests;

pub use local::Local;
pub use pytriton_embedded::Router;
pub use pytriton_embedded::server::{EmbeddedError, Server};

pub(super) use chosen::{choose, max_bytes_in_flight};
#[cfg(tritonserver)]
pub(super) use pytriton_embedded::server::SidecarServer;
