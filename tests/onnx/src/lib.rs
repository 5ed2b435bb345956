//! Writes small ONNX files for tests.

mod file;
mod protobuf;

pub use file::OnnxFile;
pub use protobuf::{bytes, number};
