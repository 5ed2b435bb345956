//! The embedded engine as a part of the process: its runtimes and its choice.
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
#[cfg(feature = "test-util")]
mod paused;
mod serve;
#[cfg(test)]
mod tests;

pub use pytriton_embedded::server::{EmbeddedError, Server};

#[cfg(feature = "test-util")]
pub use paused::advance;

pub(super) use pytriton_embedded::Extensions;

pub(super) use chosen::{choose, max_bytes_in_flight};
pub(super) use engine::EmbeddedEngine;
