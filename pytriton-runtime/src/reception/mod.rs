//! The state shared by the HTTP and gRPC services: models by name, limits on the size and duration
//! of bodies, access rules, one error type, and the offload of expensive work from I/O threads.

mod body_error;
mod control;
mod error;
mod gate;
mod models;
mod operation;
mod pace;
mod patience;
#[expect(
    clippy::module_inception,
    reason = "the room and the noun share their name"
)]
mod reception;

pub use body_error::BodyError;
pub use error::Error;
pub use gate::{Gate, Lock, Restricted};
pub(crate) use operation::Operation;
pub(crate) use patience::Patience;
pub use reception::Reception;
