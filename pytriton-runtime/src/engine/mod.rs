//! The options of the engine: its choice, the options that only tritonserver supports, and model
//! control.

mod choice_error;

pub use choice_error::ChoiceError;
pub use pytriton_engine::options::{
    ControlError, ControlMode, ControlOptions, EngineChoice, NoTritonserver, TritonOptions,
    UnsupportedOption, UnsupportedOptions,
};
