//! What goes wrong with a model: at start, with a request, in the function.

mod model;
mod registry;
mod request;

pub use model::ModelError;
pub(crate) use model::seconds;
pub use registry::RegistryError;
pub use request::{RequestError, RequestId};
