//! What both doors ask of a request before anybody reads it: that its body comes in time.

mod error;
mod pace;
mod patience;

pub use error::BodyError;
pub(crate) use patience::Patience;
