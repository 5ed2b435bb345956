//! The models that are being served: name and version to a running model, readiness, drain. The set of them can change
//! while they are asked.

mod answers;
mod cached;
mod catalog;
mod changed;
mod config;
mod control_error;
mod error;
mod lifecycle;
#[cfg(test)]
mod lifecycle_tests;
mod load;
mod model;
mod readiness;
mod set;
mod settled;
mod state;
mod versions;

pub use answers::Answers;
pub(crate) use changed::changed;
pub use control_error::ControlError;
pub use error::LoadError;
pub use load::Load;
pub use model::Model;
pub(crate) use readiness::ReadinessWatch;
pub use set::ModelSet;
pub use state::{IndexEntry, IndexedVersion};
