use std::sync::Arc;

use thiserror::Error;

use crate::status::Status;

/// Why a model is not loaded or unloaded. The texts are those of Triton 2.51 where it has one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ControlError {
    /// The server was started so that clients may not.
    #[error("explicit model load / unload is not allowed if polling is enabled")]
    NotExplicit,
    /// One repository of several is asked for.
    #[error("'repository_name' specification is not supported")]
    RepositoryName,
    /// A parameter that is no parameter.
    #[error("unrecognized load parameter '{name}'.")]
    Parameter {
        /// Its name.
        name: String,
    },
    /// A parameter of another kind than it must be.
    #[error("{message}")]
    ParameterKind {
        /// Triton's words.
        message: String,
    },
    /// A body that is no such request.
    #[error("{message}")]
    Body {
        /// Triton's words.
        message: String,
    },
    /// There is no such model.
    #[error("failed to load '{model}', failed to poll from model repository")]
    Unknown {
        /// Its name.
        model: String,
    },
    /// The model cannot be what it is asked to be.
    #[error("failed to load '{model}', failed to poll from model repository: {reason}")]
    Config {
        /// The model.
        model: Arc<str>,
        /// Why.
        reason: String,
    },
    /// There is no version that its policy takes.
    #[error(
        "load failed for model '{model}': at least one version must be available under the version policy of model '{model}'\n"
    )]
    NoVersion {
        /// The model.
        model: Arc<str>,
    },
    /// A version cannot be loaded.
    #[error("load failed for model '{model}': {reasons}\n")]
    Failed {
        /// The model.
        model: Arc<str>,
        /// Each version's.
        reasons: String,
    },
    /// The server is stopping.
    #[error("Server not ready")]
    Stopping,
}

impl ControlError {
    /// What kind of failure this is.
    pub fn status(&self) -> Status {
        match self {
            Self::NotExplicit | Self::Stopping => Status::Unavailable,
            Self::RepositoryName => Status::Unsupported,
            Self::Parameter { .. } | Self::ParameterKind { .. } => Status::InvalidArgument,
            Self::NoVersion { .. } | Self::Failed { .. } => Status::InvalidArgument,
            Self::Body { .. } | Self::Unknown { .. } | Self::Config { .. } => Status::Internal,
        }
    }
}
