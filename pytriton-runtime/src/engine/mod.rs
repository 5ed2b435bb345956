//! Engine selection: the engine option, the options that only tritonserver supports, and the choice
//! among the available engines.

mod choice;

#[cfg(tritonserver)]
pub use choice::find;
pub use choice::{Choice, ChoiceError};
pub use pytriton_engine::options::{
    ControlError, ControlMode, ControlOptions, EngineChoice, TritonOptions, UnsupportedOption,
    UnsupportedOptions,
};
