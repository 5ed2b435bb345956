//! The state shared by the HTTP and gRPC services.
//!
//! It finds models by name, limits the size and duration of bodies, checks access, and moves
//! expensive work off the I/O threads. Both services use its error type.

mod app_state;
mod control;
mod error;
mod gate;
mod models;
mod operation;

pub use app_state::AppState;
pub use error::Error;
pub use gate::{Gate, Lock, Restricted};
pub(crate) use operation::Operation;
