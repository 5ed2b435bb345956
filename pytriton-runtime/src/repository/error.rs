use thiserror::Error;

use crate::call::ModelError;
use crate::model::Location;

/// Why the registered models cannot be started.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RepositoryError {
    /// An instance of a model could not be loaded.
    #[error("{source} (declared at {location})")]
    Load {
        /// Where the model stands.
        location: Location,
        /// Why.
        source: ModelError,
    },
}
