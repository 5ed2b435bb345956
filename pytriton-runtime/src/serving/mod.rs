//! The models that are being served: name and version to a running model, readiness, drain. The set of them can change
//! while they are asked.

mod answers;
mod cached;
mod error;
mod model;
mod set;

pub use answers::Answers;
pub use error::LoadError;
pub use model::Model;
pub use set::ModelSet;
