use axum::response::Response;
use thiserror::Error;
use tonic::Code;

use crate::Status;
use crate::reception::{BodyError, Error as RoomError};
use crate::text::for_client;

/// Why a call got no answer. The texts are those of Triton 2.51 where it has one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GrpcError {
    /// The request got no response.
    #[error(transparent)]
    Request(#[from] RoomError),
    /// The index of one repository of several.
    #[error("'repository_name' specification is not supported")]
    RepositoryName,
    /// A message that is larger than the limit, as it comes or decompressed.
    #[error(
        "request size exceeds the maximum allowed input size of {limit} bytes. Use --http-max-input-size to increase the limit."
    )]
    TooLarge {
        /// The limit.
        limit: usize,
    },
    /// The client no longer waits for an answer.
    #[error("Deadline Exceeded")]
    Deadline,
    /// What the client sends comes too slowly.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// There are too many connections for calls on one more.
    #[error("the server has {limit} connections already")]
    Connections {
        /// The limit.
        limit: u32,
    },
    /// A part of the protocol that is not offered.
    #[error("{what}")]
    NotOffered {
        /// What is not offered, and why.
        what: &'static str,
    },
}

impl GrpcError {
    /// What kind of failure this is.
    pub fn status(&self) -> Status {
        match self {
            Self::Request(error) => error.status(),
            Self::Body(BodyError::Stopping) | Self::Connections { .. } => Status::Unavailable,
            Self::Body(_) | Self::Deadline => Status::DeadlineExceeded,
            Self::TooLarge { .. } => Status::TooLarge,
            Self::RepositoryName | Self::NotOffered { .. } => Status::Unsupported,
        }
    }
}

/// The answer to a call that no service has seen.
pub(crate) fn refusal(error: GrpcError) -> Response {
    tonic::Status::from(error).into_http()
}

impl From<GrpcError> for tonic::Status {
    fn from(error: GrpcError) -> Self {
        Self::new(Code::from_i32(error.status().grpc()), for_client(&error))
    }
}
