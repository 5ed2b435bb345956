//! What stands between both doors and the models: one state, one error, one admission. What a request asks for by name, how
//! many bytes it may hold, until when its body must have come, and which work for it leaves the runtime's workers.

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
