use thiserror::Error;

use crate::model::RequestId;
use crate::status::Status;

/// Why a request was not executed. The texts are those of Triton 2.51 where it has one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SchedulerError {
    /// As many requests wait as may.
    #[error("{request}Exceeds maximum queue size")]
    QueueFull {
        /// The request's id as a prefix.
        request: RequestId,
    },
    /// The request waited longer than it may.
    #[error("Request timeout expired")]
    Timeout,
    /// The client has taken the request back.
    #[error("the request was cancelled")]
    Cancelled,
    /// The server is stopping.
    #[error("Server is stopping, scheduler for model has stopped accepting new inference requests")]
    Stopping,
    /// The model's instances are gone.
    #[error("model '{model}' has no instance left that could run the request")]
    NoInstance {
        /// The model.
        model: &'static str,
    },
    /// The instance that had the request is gone.
    #[error("the instance of model '{model}' that had the request has ended")]
    InstanceEnded {
        /// The model.
        model: &'static str,
    },
}

impl SchedulerError {
    /// What kind of failure this is.
    pub fn status(&self) -> Status {
        match self {
            Self::Cancelled => Status::Cancelled,
            _ => Status::Unavailable,
        }
    }
}
