use thiserror::Error;

use crate::kserve::CodecError;
use crate::kserve::proto::ProtoError;
use crate::memory_budget::MemoryBudgetError;
use crate::request::RequestError;
use crate::scheduler::SchedulerError;
use crate::serving::ControlError;
use crate::status::Status;

/// Why a request got no response: the error of the room where it ended. The texts are those of Triton 2.51 where it has
/// one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are no request.
    #[error(transparent)]
    Codec(CodecError),
    /// A version that is no number.
    #[error(
        "failed to get model version from specified version string '{version}' (details: stol), version should be an integral value > 0"
    )]
    Version {
        /// What came.
        version: String,
    },
    /// A version below 0.
    #[error(
        "invalid model version specified '{version}' , version should be an integral value > 0"
    )]
    NegativeVersion {
        /// What came.
        version: String,
    },
    /// Statistics of a model that is not there.
    #[error("requested model '{model}' is not available")]
    NoStatistics {
        /// The name in the request.
        model: String,
    },
    /// Statistics of a version that is not there.
    #[error("requested model version is not available for model '{model}'")]
    NoStatisticsOfVersion {
        /// The name in the request.
        model: String,
    },
    /// A model with any number of answers, where there is room for one.
    #[error("{door} doesn't support models with decoupled transaction policy")]
    Decoupled {
        /// What the door is called.
        door: &'static str,
    },
    /// A model is not loaded or unloaded.
    #[error(transparent)]
    Control(#[from] ControlError),
    /// There is no room for the request.
    #[error(transparent)]
    Budget(#[from] MemoryBudgetError),
    /// The request does not fit its model.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The request could not wait, waited too long, or its function failed.
    #[error(transparent)]
    Scheduler(#[from] SchedulerError),
}

impl From<CodecError> for Error {
    fn from(error: CodecError) -> Self {
        match error {
            CodecError::Budget(error) => Self::Budget(error),
            error => Self::Codec(error),
        }
    }
}

impl From<ProtoError> for Error {
    fn from(error: ProtoError) -> Self {
        Self::Codec(error.into())
    }
}

impl Error {
    /// What kind of failure this is.
    pub fn status(&self) -> Status {
        match self {
            Self::Codec(error) => error.status(),
            Self::Version { .. }
            | Self::NegativeVersion { .. }
            | Self::NoStatistics { .. }
            | Self::NoStatisticsOfVersion { .. } => Status::InvalidArgument,
            Self::Decoupled { .. } => Status::Unsupported,
            Self::Control(error) => error.status(),
            Self::Budget(_) => Status::Exhausted,
            Self::Request(error) => error.status(),
            Self::Scheduler(error) => error.status(),
        }
    }
}
