use std::time::Duration;

use pytriton_core::memory_budget::MemoryBudgetError;
use pytriton_core::request::RequestError;
use pytriton_core::response_channel::SchedulerError;
use pytriton_core::status::Status;
use pytriton_kserve::{CodecError, ProtoError};
use thiserror::Error;

use crate::repository::ControlError;

/// Why a request failed: the error of the layer that refused it. Where Triton 2.51 has a message,
/// it is used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Error {
    /// The request cannot be decoded.
    #[error(transparent)]
    Codec(CodecError),
    /// The version is not a number.
    #[error(
        "failed to get model version from specified version string '{version}' (details: stol), version should be an integral value > 0"
    )]
    Version {
        /// The version in the request.
        version: String,
    },
    /// The version is negative.
    #[error(
        "invalid model version specified '{version}' , version should be an integral value > 0"
    )]
    NegativeVersion {
        /// The version in the request.
        version: String,
    },
    /// Statistics of an unknown model were requested.
    #[error("requested model '{model}' is not available")]
    NoStatistics {
        /// The name in the request.
        model: String,
    },
    /// Statistics of an unknown version were requested.
    #[error("requested model version is not available for model '{model}'")]
    NoStatisticsOfVersion {
        /// The name in the request.
        model: String,
    },
    /// The model is decoupled, but the endpoint supports only one response.
    #[error("{endpoint} doesn't support models with decoupled transaction policy")]
    Decoupled {
        /// The name of the endpoint.
        endpoint: &'static str,
    },
    /// A model cannot be loaded or unloaded.
    #[error(transparent)]
    Control(#[from] ControlError),
    /// The memory budget is exhausted.
    #[error(transparent)]
    Budget(#[from] MemoryBudgetError),
    /// The request does not match its model.
    #[error(transparent)]
    Request(RequestError),
    /// The request was not queued, timed out, or its function failed.
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

impl From<RequestError> for Error {
    fn from(error: RequestError) -> Self {
        match error {
            RequestError::Budget(error) => Self::Budget(error),
            error => Self::Request(error),
        }
    }
}

impl From<ProtoError> for Error {
    fn from(error: ProtoError) -> Self {
        Self::Codec(error.into())
    }
}

impl Error {
    /// Returns how long the client should wait before it retries, if the function set it.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Scheduler(error) => error.retry_after(),
            _ => None,
        }
    }

    /// Returns the status of the error.
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
