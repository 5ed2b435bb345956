use thiserror::Error;

use crate::call::ModelError;
#[cfg(feature = "embedded")]
use crate::kserve::CodecError;
#[cfg(feature = "embedded")]
use crate::kserve::proto::ProtoError;
use crate::request::RequestError;
use crate::scheduler::SchedulerError;
use crate::status::Status;

/// Why a request got no response: the error of the room where it ended.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are no request.
    #[cfg(feature = "embedded")]
    #[error(transparent)]
    Codec(#[from] CodecError),
    /// The request does not fit its model.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The request could not wait, or waited too long.
    #[error(transparent)]
    Scheduler(#[from] SchedulerError),
    /// The function failed.
    #[error(transparent)]
    Model(#[from] ModelError),
}

#[cfg(feature = "embedded")]
impl From<ProtoError> for Error {
    fn from(error: ProtoError) -> Self {
        Self::Codec(error.into())
    }
}

impl Error {
    /// What kind of failure this is.
    pub fn status(&self) -> Status {
        match self {
            #[cfg(feature = "embedded")]
            Self::Codec(error) => error.status(),
            Self::Request(RequestError::UnknownModel { .. }) => Status::NotFound,
            Self::Request(_) => Status::InvalidArgument,
            Self::Scheduler(error) => error.status(),
            // An input whose bytes are no elements (a `String` that is no UTF-8, values that differ) is the client's.
            Self::Model(
                ModelError::Input { .. }
                | ModelError::InputElement { .. }
                | ModelError::DifferentValues { .. },
            ) => Status::InvalidArgument,
            Self::Model(ModelError::CallTooLong { .. }) => Status::DeadlineExceeded,
            Self::Model(ModelError::Hanging { .. }) => Status::Unavailable,
            Self::Model(_) => Status::Internal,
        }
    }
}
