//! The options that both engines read: the engine, model control, and which options of tritonserver
//! the embedded engine does not support.

mod control;
mod engine;
mod unsupported;

pub use control::{ControlError, ControlMode, ControlOptions};
pub use engine::{EngineChoice, TritonOptions};
pub use unsupported::{UnsupportedOption, UnsupportedOptions};
