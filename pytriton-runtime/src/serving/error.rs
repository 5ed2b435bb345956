use std::sync::Arc;

use thiserror::Error;

use crate::call::ModelError;
use crate::model::{Location, ModelSpec};

/// Why a model cannot be served: one of its instances could not be loaded.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{source} (declared at {location})")]
pub struct LoadError {
    /// Where the model stands.
    pub location: Location,
    /// Why.
    pub source: ModelError,
}

impl LoadError {
    /// What a model is told that comes too late.
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
