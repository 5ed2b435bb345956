//! The tritonserver engine as a part of the process: its runtime, its choice, and its commands.
//!
//! `no_tritonserver.rs` replaces this module in a binary without the engine.

mod chosen;
mod core_report;
mod engine;
mod serve;

pub use pytriton_tritonserver::server::{FindError, TritonserverError};

pub(super) use chosen::choose;
#[cfg(all(test, feature = "embedded"))]
pub(super) use chosen::choose_in;
#[cfg(feature = "embedded")]
pub(super) use chosen::report;
pub(super) use core_report::describe as describe_core;
pub(super) use pytriton_tritonserver::server::{install, write_models};
