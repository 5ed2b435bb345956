//! The errors of models, calls and the server.
//!
//! A function returns [`Error`](crate::Error), an error that implements [`IntoError`], or one that
//! only implements `Display`, whose status is 500. The chapter `errors` of the guide explains them.

pub use pytriton_runtime::call::{Cancelled, ModelError};
pub use pytriton_runtime::error::{CallError, IntoError};
pub use pytriton_runtime::runtime_models::{Flaw, ModelFlaws};
pub use pytriton_runtime::server::{ArgumentClash, ServerError};
pub use pytriton_runtime::tensor::{OffsetsError, TensorError};
