//! What else a request says.

mod infer_options;
mod parameter;
mod sequence;

pub use infer_options::InferOptions;
pub use parameter::ParameterValue;
pub use sequence::{SequenceId, SequenceStep};
