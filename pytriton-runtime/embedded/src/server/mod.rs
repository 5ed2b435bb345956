//! A server of this process: its ports and certificates, start and shutdown.
//!
//! [`Server`] is the embedded engine, and [`SidecarServer`] the ports of this process next to a
//! tritonserver. Both check the options first ([`checks`]), bind the ports before the models are
//! loaded, and listen once the models are ready.

mod called_models;
pub mod checks;
mod error;
mod keepalive;
mod listener;
mod platforms;
mod port_certificates;
mod serve;
mod services;
mod sidecar;

pub use called_models::CalledModels;
pub use error::EmbeddedError;
pub use serve::Server;
pub use services::services;
pub use sidecar::SidecarServer;
