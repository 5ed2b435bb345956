use thiserror::Error;

use crate::settings::{ResolveError, ValidationErrors};

/// The options of a server are invalid.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OptionsError {
    /// The arguments or environment variables are invalid.
    #[error("{0}")]
    Arguments(String),
    /// The configuration file or a variable set by a platform is invalid.
    #[error(transparent)]
    Configuration(#[from] ValidationErrors),
    /// Neither HTTP nor gRPC is enabled. The message is PyTriton's.
    #[error("The `http` or `grpc` endpoint has to be allowed.")]
    NoEndpoint,
}

impl From<ResolveError> for OptionsError {
    fn from(error: ResolveError) -> Self {
        let error = match error {
            ResolveError::Configuration(mistakes) => return Self::Configuration(mistakes),
            ResolveError::Line(error) => error,
        };
        let text = error.to_string();
        let message = text.split("\n\n").next().unwrap_or_default();
        Self::Arguments(
            message
                .strip_prefix("error: ")
                .unwrap_or(message)
                .to_owned(),
        )
    }
}
