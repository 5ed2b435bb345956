use std::sync::Arc;

use pytriton_core::call::ModelError;
use pytriton_core::model::{Location, ModelSpec};
use thiserror::Error;

/// A model cannot be served because one of its instances could not be loaded.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{source} (declared at {location})")]
pub struct LoadError {
    /// The location of the model in the source.
    pub location: Location,
    /// The cause.
    pub source: ModelError,
}

impl LoadError {
    /// Returns Triton's form of the error.
    pub(super) fn reason(&self) -> String {
        format!("Internal: {}", self.source)
    }

    /// Returns the error for a model that is loaded while the server is stopping.
    pub(super) fn stopping(spec: &ModelSpec) -> Self {
        Self {
            location: spec.location,
            source: ModelError::Load {
                model: Arc::clone(&spec.name),
                instance: 0,
                message: "the server is stopping".to_owned(),
            },
        }
    }
}
