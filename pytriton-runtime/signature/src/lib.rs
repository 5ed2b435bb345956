#![doc = include_str!("../README.md")]

mod change;
mod datatype;
mod json;
mod lock_error;
mod lock_file;
mod members;
mod model_changes;
pub mod onnx;
mod reading;
mod signature;
mod tensor_changes;
mod tensor_name;
mod writing;

pub use change::Change;
pub use datatype::DataType;
pub use lock_error::LockError;
pub use lock_file::LockFile;
pub use signature::{ModelSignature, TensorSignature};
pub use tensor_name::{NameFlaw, tensor_name_flaw};
