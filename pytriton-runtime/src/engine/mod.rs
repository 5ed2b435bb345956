//! Engine selection: the engine option, the options that only tritonserver supports, and the choice
//! among the available engines.

mod choice;
mod control;
mod options;
#[cfg(feature = "embedded")]
mod unsupported;

#[cfg(tritonserver)]
pub use choice::find;
pub use choice::{Choice, ChoiceError};
pub use control::{ControlError, ControlMode, ControlOptions};
pub use options::{EngineChoice, TritonOptions};
#[cfg(feature = "embedded")]
pub use unsupported::{UnsupportedOption, UnsupportedOptions};
