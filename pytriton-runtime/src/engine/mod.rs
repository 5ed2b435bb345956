//! The options of the engine: its choice, the options that only tritonserver supports, and model
//! control.

pub use pytriton_engine::options::{
    ControlError, ControlMode, ControlOptions, EngineChoice, NoTritonserver, TritonOptions,
    UnsupportedOption, UnsupportedOptions,
};

pub use crate::server::ChoiceError;
