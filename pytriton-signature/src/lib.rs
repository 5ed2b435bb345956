//! Model signatures as callers depend on them, shared by macros, clients and servers. Pure and
//! without dependencies.
//!
//! - [`ModelSignature`]: a model's tensors, batching and streaming.
//! - [`Lock`]: a file with the signatures of a binary's models.
//! - [`Change`]: a difference between two signatures, and whether it breaks callers.

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
