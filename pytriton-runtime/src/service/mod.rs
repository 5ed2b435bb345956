//! The state shared by the HTTP and gRPC services.
//!
//! It finds models by name, limits the size and duration of bodies, checks access, and moves
//! expensive work off the I/O threads. Both services use its error type.

mod access_control;
mod app_state;
mod control;
mod error;
mod models;
mod operation;

pub use access_control::{AccessControl, RequiredHeader, Restricted};
pub use app_state::AppState;
pub use error::Error;
pub(crate) use operation::Operation;
