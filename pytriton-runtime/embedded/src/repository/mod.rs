//! The model repository: maps names and versions to loaded models, and handles readiness and drain.
//! Models can be added and removed while requests are served.

mod cached;
mod catalog_guard;
mod changed;
mod config;
mod config_instances;
mod config_value;
mod control_error;
#[cfg(test)]
mod draining_tests;
mod error;
mod lifecycle;
#[cfg(test)]
mod lifecycle_tests;
mod load;
mod loaded_models;
mod model;
mod model_repository;
mod model_responses;
mod readiness;
mod repository_index;
mod served_models;
mod state;
mod transition;
mod versions;

pub(crate) use changed::changed;
pub(crate) use config::CONFIG_MEMORY;
pub use control_error::ControlError;
pub use error::LoadError;
pub use load::Load;
pub use model::Model;
pub use model_repository::ModelRepository;
pub use model_responses::ModelResponses;
pub(crate) use readiness::ReadinessWatch;
pub use state::{IndexEntry, IndexedVersion};
