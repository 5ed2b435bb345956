use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use crate::call::ModelError;
use crate::error::{Error, ErrorKind};
use crate::instance::Availability;
use crate::memory_budget::MemoryBudgetError;
use crate::model::ModelSpec;
use crate::request::{RequestId, SequenceId};
use crate::status::Status;
use crate::text::seconds;

/// Why a request was not executed. Where Triton 2.51 has a message, it is used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SchedulerError {
    /// The queue is full.
    #[error("{request}Exceeds maximum queue size")]
    QueueFull {
        /// The ID of the request, as a prefix.
        request: RequestId,
    },
    /// The request exceeded its queue timeout.
    #[error("Request timeout expired")]
    Timeout,
    /// A request of a sequence has several rows.
    #[error(
        "inference request to model '{model}' must specify batch-size 1 due to requirements of sequence batcher"
    )]
    SequenceRows {
        /// The model.
        model: Arc<str>,
    },
    /// The model requires a sequence, but the request has none.
    #[error(
        "inference request to model '{model}' must specify a non-zero or non-empty correlation ID"
    )]
    NoSequence {
        /// The model.
        model: Arc<str>,
    },
    /// The sequence of the request has not started or has ended.
    #[error(
        "inference request for sequence {sequence} to model '{model}' must specify the START flag on the first request of the sequence"
    )]
    SequenceNotStarted {
        /// The sequence.
        sequence: SequenceId,
        /// The model.
        model: Arc<str>,
    },
    /// The sequence exceeded the queue timeout of one of its requests while it waited for a slot.
    #[error("timeout of the corresponding sequence has been expired")]
    SequenceTimeout,
    /// An earlier request of the sequence was cancelled, possibly by another client.
    #[error(
        "sequence {sequence} of model '{model}' has ended: an earlier request of it was cancelled"
    )]
    SequenceCancelled {
        /// The sequence.
        sequence: SequenceId,
        /// The model.
        model: Arc<str>,
    },
    /// The instance of the request's sequence has stalled or ended.
    #[error(
        "sequence {sequence} of model '{model}' has ended: its instance does not accept requests"
    )]
    SequenceLost {
        /// The sequence.
        sequence: SequenceId,
        /// The model.
        model: Arc<str>,
    },
    /// The client cancelled the request.
    #[error("the request was cancelled")]
    Cancelled,
    /// The server is stopping.
    #[error("Server is stopping, scheduler for model has stopped accepting new inference requests")]
    Stopping,
    /// All instances of the model are stalled.
    #[error(
        "no instance of model '{model}' can execute the request: all are in calls that take longer than {}",
        seconds(*limit)
    )]
    Hanging {
        /// The model.
        model: Arc<str>,
        /// The maximum duration of a call.
        limit: Duration,
    },
    /// The model has no instances left.
    #[error("model '{model}' has no instances left to execute the request")]
    NoInstance {
        /// The model.
        model: Arc<str>,
    },
    /// The function failed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The memory of the response cannot be reserved.
    #[error(transparent)]
    Budget(#[from] MemoryBudgetError),
    /// The instance that executed the request has ended.
    #[error("the instance of model '{model}' that was executing the request has stopped")]
    InstanceEnded {
        /// The model.
        model: Arc<str>,
    },
}

impl SchedulerError {
    /// Returns how long the client should wait before it retries, if the function set it.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Model(error) => error.retry_after(),
            _ => None,
        }
    }

    /// Converts the error for a function that has called the model. A request that the function
    /// did not cause to fail has the kind [`ErrorKind::Unavailable`].
    pub fn into_error(self) -> Error {
        let kind = match &self {
            Self::Model(ModelError::Function { kind, .. }) => match kind {
                // It concerns the called model.
                ErrorKind::Unrecoverable => ErrorKind::Internal,
                kind => *kind,
            },
            error => match error.status() {
                Status::InvalidArgument => ErrorKind::InvalidArgument,
                Status::DeadlineExceeded => ErrorKind::DeadlineExceeded,
                Status::Unsupported => ErrorKind::Unimplemented,
                Status::Unavailable | Status::Exhausted | Status::Cancelled => {
                    ErrorKind::Unavailable
                }
                _ => ErrorKind::Internal,
            },
        };
        let retry_after = self.retry_after();
        let error = Error::new(kind, self);
        match retry_after {
            Some(time) => error.retry_after(time),
            None => error,
        }
    }

    /// Returns the error of a model that refuses requests, or `None` if it accepts them.
    pub fn refusal(spec: &ModelSpec, availability: Availability) -> Option<Self> {
        let model = Arc::clone(&spec.name);
        match availability {
            Availability::Ready => None,
            Availability::Stalled => Some(Self::Hanging {
                model,
                limit: spec.call_options.call_limit().unwrap_or_default(),
            }),
            Availability::Gone => Some(Self::NoInstance { model }),
        }
    }

    /// Returns whether the request was refused before it was queued. Triton reports these as
    /// invalid requests.
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::QueueFull { .. }
                | Self::Stopping
                | Self::SequenceRows { .. }
                | Self::NoSequence { .. }
                | Self::SequenceNotStarted { .. }
        )
    }

    /// Returns the status of the error.
    pub fn status(&self) -> Status {
        match self {
            Self::SequenceRows { .. }
            | Self::NoSequence { .. }
            | Self::SequenceNotStarted { .. } => Status::InvalidArgument,
            Self::Cancelled | Self::SequenceCancelled { .. } => Status::Cancelled,
            Self::Model(error) => error.status(),
            Self::Budget(_) => Status::Exhausted,
            _ => Status::Unavailable,
        }
    }
}
