#![doc = include_str!("../README.md")]

mod change;
mod datatype;
mod json;
mod lock_error;
mod lock_file;
mod members;
mod model_changes;
mod reading;
mod signature;
mod tensor_changes;
mod writing;

pub use change::Change;
pub use datatype::DataType;
pub use lock_error::LockError;
pub use lock_file::LockFile;
pub use signature::{ModelSignature, TensorSignature};
