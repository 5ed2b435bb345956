use std::sync::Arc;

use pytriton_core::status::Status;
use thiserror::Error;

/// Why a model cannot be loaded or unloaded. Where Triton 2.51 has a message, it is used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ControlError {
    /// The server does not allow clients to load or unload models.
    #[error("explicit model load / unload is not allowed if polling is enabled")]
    NotExplicit,
    /// A specific repository was requested.
    #[error("'repository_name' specification is not supported")]
    RepositoryName,
    /// The parameter is unknown.
    #[error("unrecognized load parameter '{name}'.")]
    Parameter {
        /// The name of the parameter.
        name: String,
    },
    /// The parameter has the wrong type.
    #[error("{message}")]
    ParameterKind {
        /// The message of Triton.
        message: String,
    },
    /// The body is not a valid request.
    #[error("{message}")]
    Body {
        /// The message of Triton.
        message: String,
    },
    /// The model does not exist.
    #[error("failed to load '{model}', failed to poll from model repository")]
    Unknown {
        /// The name of the model.
        model: String,
    },
    /// The model does not support the requested configuration.
    #[error("failed to load '{model}', failed to poll from model repository: {reason}")]
    Config {
        /// The model.
        model: Arc<str>,
        /// The reason.
        reason: String,
    },
    /// The model calls a model that is not loaded.
    #[error(
        "load failed for model '{model}': it calls model '{callee}', which is not loaded: load it first\n"
    )]
    Callee {
        /// The model.
        model: Arc<str>,
        /// The called model.
        callee: String,
    },
    /// The version policy selects no version.
    #[error(
        "load failed for model '{model}': at least one version must be available under the version policy of model '{model}'\n"
    )]
    NoVersion {
        /// The model.
        model: Arc<str>,
    },
    /// The model was unloaded before it was loaded.
    #[error("failed to load '{model}', no version is available")]
    Unloaded {
        /// The model.
        model: Arc<str>,
    },
    /// A version cannot be loaded.
    #[error("load failed for model '{model}': {reasons}\n")]
    Failed {
        /// The model.
        model: Arc<str>,
        /// The reason for each version.
        reasons: String,
    },
    /// The server is stopping.
    #[error("Server not ready")]
    Stopping,
}

impl ControlError {
    /// Returns the status of the error.
    pub fn status(&self) -> Status {
        match self {
            Self::NotExplicit | Self::Stopping => Status::Unavailable,
            Self::RepositoryName => Status::Unsupported,
            Self::Parameter { .. } | Self::ParameterKind { .. } => Status::InvalidArgument,
            Self::NoVersion { .. } | Self::Failed { .. } | Self::Callee { .. } => {
                Status::InvalidArgument
            }
            Self::Body { .. } | Self::Unknown { .. } => Status::Internal,
            Self::Config { .. } | Self::Unloaded { .. } => Status::Internal,
        }
    }
}
