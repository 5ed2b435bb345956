//! The options of a server: those that both engines read, and which options each engine does not
//! support.

mod control;
mod engine;
mod error;
mod limits;
mod memory;
mod server;
mod unsupported;

pub use control::{ControlError, ControlMode, ControlOptions, OverrideOptions};
pub use engine::{EngineChoice, NoTritonserver, TritonOptions};
pub use error::OptionsError;
pub use limits::LimitOptions;
pub use server::Options;
pub use unsupported::{UnsupportedOption, UnsupportedOptions};
