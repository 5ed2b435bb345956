//! The errors of models, calls and the server.
//!
//! A function returns [`Error`](crate::Error), or an error that implements [`IntoError`]. The
//! [guide](crate::guide::errors) explains them.

pub use pytriton_runtime::call::{Cancelled, ModelError};
pub use pytriton_runtime::error::{CallError, IntoError};
pub use pytriton_runtime::runtime_models::{Flaw, ModelFlaws};
pub use pytriton_runtime::server::{ArgumentClash, ServerError};
pub use pytriton_runtime::tensor::{OffsetsError, TensorError};
