//! What a model takes and returns, as its callers depend on it. Pure and without dependencies: macros, clients and servers share
//! it.
//!
//! - [`ModelSignature`]: a model's tensors, whether they have a batch axis, and how often it answers.
//! - [`Lock`]: the file in which a binary's signatures are written down.
//! - [`Change`]: what is no longer as it was, and whether that breaks a caller.

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
