//! The statistics of a model.

mod json;
mod model_statistics;
mod proto;

pub use model_statistics::{BatchStatistics, Durations, InferenceStatistics, ModelStatistics};
