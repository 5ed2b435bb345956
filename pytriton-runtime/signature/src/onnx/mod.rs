//! The inputs and outputs of ONNX files.
//!
//! An ONNX file is a protobuf message. The reader decodes the few fields that describe the inputs
//! and outputs of the graph, and skips all others, such as the nodes and the weights.

mod batch_axis;
mod element_type;
mod error;
mod graph;
mod message;
mod signature;
#[cfg(test)]
mod tests;
mod value_info;

pub use batch_axis::BatchAxisError;
pub use element_type::ElementType;
pub use error::OnnxError;
pub use graph::Graph;
pub use signature::ValueError;
pub use value_info::{Dimension, ValueInfo, ValueType};
