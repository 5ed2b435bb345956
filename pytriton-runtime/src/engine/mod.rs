//! Engine selection: its options, including those for tritonserver only, and the choice between the
//! engines of this binary and of the system.

mod choice;
mod control;
mod flags;
mod options;
#[cfg(feature = "embedded")]
mod unsupported;

#[cfg(tritonserver)]
pub use choice::find;
pub use choice::{Choice, ChoiceError};
pub use control::{ControlError, ControlMode, ControlOptions};
pub(crate) use flags::is_secret;
pub(crate) use options::numbered_variables;
pub use options::{EngineChoice, Flags, TritonOptions};
#[cfg(feature = "embedded")]
pub use unsupported::{UnsupportedOption, UnsupportedOptions};
