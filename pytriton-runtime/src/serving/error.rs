use thiserror::Error;

use crate::call::ModelError;
use crate::model::Location;

/// Why a model cannot be served: one of its instances could not be loaded.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{source} (declared at {location})")]
pub struct LoadError {
    /// Where the model stands.
    pub location: Location,
    /// Why.
    pub source: ModelError,
}
