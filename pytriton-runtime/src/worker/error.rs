use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::call::ModelError;
use crate::model::Location;

/// Why the instances behind tritonserver cannot be started.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WorkerError {
    /// An instance of a model could not be loaded.
    #[error("{source} (declared at {location})")]
    Load {
        /// Where the model stands.
        location: Location,
        /// Why.
        source: ModelError,
    },
    /// There can be no socket of that name.
    #[error("cannot listen on '{}': {source}", path.display())]
    Socket {
        /// The name.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The system gives no random numbers.
    #[error("cannot make a token: {0}")]
    Token(#[source] io::Error),
}
