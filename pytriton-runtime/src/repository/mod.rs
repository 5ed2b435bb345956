//! The models that are being served: name and version to a running model, readiness, drain.

mod cached;
mod error;
mod model;
#[expect(
    clippy::module_inception,
    reason = "the room and the noun share their name"
)]
mod repository;

pub use error::RepositoryError;
pub use model::Model;
pub use repository::Repository;
