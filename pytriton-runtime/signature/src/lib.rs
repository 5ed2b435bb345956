#![doc = include_str!("../README.md")]

mod change;
mod datatype;
mod json;
mod lock;
mod lock_error;
mod members;
mod model_changes;
mod reading;
mod signature;
mod tensor_changes;
mod writing;

pub use change::Change;
pub use datatype::DataType;
pub use lock::Lock;
pub use lock_error::LockError;
pub use signature::{ModelSignature, TensorSignature};
