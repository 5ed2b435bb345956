use std::io;
use std::path::PathBuf;

use pytriton_core::call::ModelError;
use pytriton_core::model::Location;
use thiserror::Error;

/// The instances behind tritonserver cannot be started.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WorkerError {
    /// An instance of a model could not be loaded.
    #[error("{source} (declared at {location})")]
    Load {
        /// The declaration of the model.
        location: Location,
        /// The cause.
        source: ModelError,
    },
    /// The socket cannot be created.
    #[error("cannot listen on '{}': {source}", path.display())]
    Socket {
        /// The path.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The system provides no random numbers.
    #[error("cannot generate a token: {0}")]
    Token(#[source] io::Error),
}
