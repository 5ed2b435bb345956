use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use crate::call::ModelError;
use crate::memory_budget::MemoryBudgetError;
use crate::model::ModelSpec;
use crate::request::{RequestId, SequenceId};
use crate::runner::Availability;
use crate::status::Status;
use crate::text::seconds;

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
    /// A request of a sequence with several rows.
    #[error(
        "inference request to model '{model}' must specify batch-size 1 due to requirements of sequence batcher"
    )]
    SequenceRows {
        /// The model.
        model: Arc<str>,
    },
    /// A request of no sequence, for a model that knows nothing else.
    #[error(
        "inference request to model '{model}' must specify a non-zero or non-empty correlation ID"
    )]
    NoSequence {
        /// The model.
        model: Arc<str>,
    },
    /// A request of a sequence that has not started, or has ended.
    #[error(
        "inference request for sequence {sequence} to model '{model}' must specify the START flag on the first request of the sequence"
    )]
    SequenceNotStarted {
        /// The sequence.
        sequence: SequenceId,
        /// The model.
        model: Arc<str>,
    },
    /// The request's sequence has waited for a slot for longer than one of its requests may.
    #[error("timeout of the corresponding sequence has been expired")]
    SequenceTimeout,
    /// Another client has taken back an earlier request of the sequence.
    #[error(
        "sequence {sequence} of model '{model}' has ended: an earlier request of it was cancelled"
    )]
    SequenceCancelled {
        /// The sequence.
        sequence: SequenceId,
        /// The model.
        model: Arc<str>,
    },
    /// The instance that has the request's sequence hangs, or is gone.
    #[error("sequence {sequence} of model '{model}' has ended: its instance takes no requests")]
    SequenceLost {
        /// The sequence.
        sequence: SequenceId,
        /// The model.
        model: Arc<str>,
    },
    /// The client has taken the request back.
    #[error("the request was cancelled")]
    Cancelled,
    /// The server is stopping.
    #[error("Server is stopping, scheduler for model has stopped accepting new inference requests")]
    Stopping,
    /// The model's instances are in calls that do not return.
    #[error(
        "model '{model}' has no instance that could run the request, all are in calls that take longer than {}",
        seconds(*limit)
    )]
    Hanging {
        /// The model.
        model: Arc<str>,
        /// How long a call may take.
        limit: Duration,
    },
    /// The model's instances are gone.
    #[error("model '{model}' has no instance left that could run the request")]
    NoInstance {
        /// The model.
        model: Arc<str>,
    },
    /// The function failed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// There is no room for the response.
    #[error(transparent)]
    Budget(#[from] MemoryBudgetError),
    /// The instance that had the request is gone.
    #[error("the instance of model '{model}' that had the request has ended")]
    InstanceEnded {
        /// The model.
        model: Arc<str>,
    },
}

impl SchedulerError {
    /// Why a model takes no requests; `None` where it does.
    pub(crate) fn refusal(spec: &ModelSpec, availability: Availability) -> Option<Self> {
        let model = Arc::clone(&spec.name);
        match availability {
            Availability::Ready => None,
            Availability::Hanging => Some(Self::Hanging {
                model,
                limit: spec.max_call.unwrap_or_default(),
            }),
            Availability::Gone => Some(Self::NoInstance { model }),
        }
    }

    /// Whether the request was not even accepted: Triton tells of such a one as of a mistake.
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

    /// What kind of failure this is.
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
