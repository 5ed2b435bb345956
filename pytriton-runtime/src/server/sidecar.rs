//! The ports of this process next to a tritonserver.
//!
//! `no_sidecar.rs` replaces this module in a binary without the embedded engine.

pub(super) use pytriton_embedded::server::{CalledModels, SidecarServer};
