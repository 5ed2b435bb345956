use axum::response::Response;
use prost::DecodeError;
use thiserror::Error;
use tonic::Code;
use tonic::metadata::MetadataValue;

use crate::Status;
use crate::kserve::proto::BoundedError;
use crate::reception::{BodyError, Error as RoomError, Restricted};
use crate::text::for_client;

/// Why a call got no answer. The texts are those of Triton 2.51 where it has one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GrpcError {
    /// The request got no response.
    #[error(transparent)]
    Request(#[from] RoomError),
    /// The call is in a group that is closed.
    #[error("This protocol is restricted, {0}")]
    Restricted(#[from] Restricted),
    /// A message of more fields and dimensions than anybody needs.
    #[error("the request has more than 65536 inputs, outputs, parameters, contents and dimensions")]
    Crowded,
    /// A message that takes more than it may when it is decoded.
    #[error(transparent)]
    Bounded(#[from] BoundedError),
    /// A message that is larger than its method allows, as it arrives or decompressed.
    #[error("the request message of {method} exceeds the limit of {limit} bytes for this method")]
    MethodTooLarge {
        /// The method.
        method: &'static str,
        /// The limit.
        limit: usize,
    },
    /// A health check of a service that does not exist.
    #[error("unknown service '{service}'")]
    Service {
        /// The name in the request.
        service: String,
    },
    /// More health watches than the server keeps.
    #[error("the server has {limit} health watches already. Use Check, or end another Watch.")]
    Watches {
        /// The limit.
        limit: usize,
    },
    /// A message that is larger than the limit, as it comes or decompressed.
    #[error(
        "request size exceeds the maximum allowed input size of {limit} bytes. Use --grpc-max-input-size to increase the limit."
    )]
    TooLarge {
        /// The limit.
        limit: usize,
    },
    /// Metadata of more bytes than the limit, counted as HTTP/2 does.
    #[error(
        "received metadata size exceeds hard limit ({bytes} vs. {limit}). Use --max-header-bytes to increase the limit."
    )]
    Metadata {
        /// How many.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// More of it than the limit.
    #[error(
        "received metadata has more items than the limit ({count} vs. {limit}). Use --max-headers to increase the limit."
    )]
    Headers {
        /// How many.
        count: usize,
        /// The limit.
        limit: usize,
    },
    /// A message that is no protobuf.
    #[error(transparent)]
    Message(#[from] DecodeError),
    /// A message that is compressed in a call that does not say how.
    #[error(
        "protocol error: received message with compressed-flag but no grpc-encoding was specified"
    )]
    NoEncoding,
    /// A message that is neither compressed nor not.
    #[error(
        "protocol error: received message with invalid compression flag: {flag} (valid flags are 0 and 1), while sending request"
    )]
    Flag {
        /// What the client says of it.
        flag: u8,
    },
    /// A call whose messages are compressed in a way that is not known.
    #[error("Content is compressed with `{encoding}` which isn't supported")]
    Encoding {
        /// What the client calls it.
        encoding: String,
    },
    /// A message that cannot be decompressed.
    #[error("Error decompressing: {message}, while sending request")]
    Decompression {
        /// Why.
        message: String,
    },
    /// A call that ends in a message.
    #[error("Unexpected EOF decoding stream.")]
    CutOff,
    /// A call without the one message that it must have.
    #[error("Missing request message.")]
    NoMessage,
    /// An answer that is longer than a message may be.
    #[error("Cannot return body with more than 4GB of data but got {length} bytes")]
    AnswerTooLarge {
        /// Its length.
        length: usize,
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
}

impl GrpcError {
    /// What kind of failure this is.
    pub fn status(&self) -> Status {
        match self {
            Self::Request(error) => error.status(),
            Self::Restricted(_) | Self::Body(BodyError::Stopping) | Self::Connections { .. } => {
                Status::Unavailable
            }
            Self::Body(_) | Self::Deadline => Status::DeadlineExceeded,
            Self::TooLarge { .. }
            | Self::MethodTooLarge { .. }
            | Self::Metadata { .. }
            | Self::Headers { .. }
            | Self::AnswerTooLarge { .. } => Status::TooLarge,
            Self::Encoding { .. } => Status::Unsupported,
            Self::Crowded | Self::Bounded(BoundedError::Fields) => Status::InvalidArgument,
            Self::Bounded(BoundedError::Budget(_)) => Status::Exhausted,
            Self::Service { .. } => Status::NotFound,
            Self::Watches { .. } => Status::Exhausted,
            Self::Message(_)
            | Self::Bounded(BoundedError::Decode(_))
            | Self::NoEncoding
            | Self::Flag { .. }
            | Self::Decompression { .. }
            | Self::CutOff
            | Self::NoMessage => Status::Internal,
        }
    }
}

/// The answer to a call that no service has seen.
pub(crate) fn refusal(error: GrpcError) -> Response {
    tonic::Status::from(error).into_http()
}

impl From<GrpcError> for tonic::Status {
    fn from(error: GrpcError) -> Self {
        let mut status = Self::new(Code::from_i32(error.status().grpc()), for_client(&error));
        if let GrpcError::Encoding { .. } = error {
            let known = MetadataValue::from_static("gzip,deflate,identity");
            status.metadata_mut().insert("grpc-accept-encoding", known);
        }
        status
    }
}
