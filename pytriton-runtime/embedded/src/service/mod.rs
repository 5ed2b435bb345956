//! The state shared by the HTTP and gRPC services.
//!
//! It finds models by name, and moves expensive work off the I/O threads. `routes` finds the route
//! of a request and checks access. Both services use its error type. [`OpenApiDocument`] is the
//! text that the docs page reads.

mod access_control;
mod app_state;
mod cached_text;
mod control;
mod error;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzzing;
mod identify;
mod models;
mod openapi_document;
mod operation;
pub(crate) mod routes;

pub use access_control::{AccessControl, RequiredHeader, Restricted};
pub use app_state::AppState;
pub(crate) use cached_text::{CachedText, hash};
pub use error::Error;
pub use openapi_document::OpenApiDocument;
pub(crate) use operation::Operation;
pub use routes::is_used_by_page;
