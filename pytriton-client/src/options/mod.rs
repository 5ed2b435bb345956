//! The options of a request.

mod infer_options;
mod sequence;

pub use infer_options::InferOptions;
pub use pytriton_protocol::ParameterValue;
pub use sequence::{SequenceId, SequenceStep};
