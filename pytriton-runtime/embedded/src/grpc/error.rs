use pytriton_core::status::Status;
use pytriton_core::text::for_client;
use pytriton_kserve::proto::BoundedError;
use pytriton_net::BodyError;
use thiserror::Error;
use tonic::Code;
use tonic::metadata::MetadataValue;

use crate::service::{Error as RoomError, Restricted};

/// Why a call failed. Where Triton 2.51 has a message, it is used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GrpcError {
    /// The error of another layer.
    #[error(transparent)]
    Request(#[from] RoomError),
    /// The call belongs to a restricted group.
    #[error("This protocol is restricted, {0}")]
    Restricted(#[from] Restricted),
    /// The decoded message exceeds its limits.
    #[error(transparent)]
    Bounded(#[from] BoundedError),
    /// The message is larger than its method allows, as received or decompressed.
    #[error("the request message of {method} exceeds the limit of {limit} bytes for this method")]
    MethodTooLarge {
        /// The method.
        method: &'static str,
        /// The limit.
        limit: usize,
    },
    /// A health check names an unknown service.
    #[error("unknown service '{service}'")]
    Service {
        /// The name in the request.
        service: String,
    },
    /// The maximum number of health watches is reached.
    #[error("the server already has {limit} health watches. Use Check, or end another Watch.")]
    Watches {
        /// The limit.
        limit: usize,
    },
    /// The message is larger than the limit, as received or decompressed.
    #[error(
        "request size exceeds the maximum allowed input size of {limit} bytes. Use --grpc-max-input-size to increase the limit."
    )]
    TooLarge {
        /// The limit.
        limit: usize,
    },
    /// The metadata is larger than the limit, counted as in HTTP/2.
    #[error(
        "received metadata size exceeds hard limit ({bytes} vs. {limit}). Use --max-header-bytes to increase the limit."
    )]
    Metadata {
        /// The size in bytes.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// The metadata has too many items.
    #[error(
        "received metadata has more items than the limit ({count} vs. {limit}). Use --max-headers to increase the limit."
    )]
    Headers {
        /// The number of items.
        count: usize,
        /// The limit.
        limit: usize,
    },
    /// The message is compressed, but the call declares no encoding.
    #[error(
        "protocol error: received message with compressed-flag but no grpc-encoding was specified"
    )]
    NoEncoding,
    /// The compression flag is invalid.
    #[error(
        "protocol error: received message with invalid compression flag: {flag} (valid flags are 0 and 1), while sending request"
    )]
    Flag {
        /// The flag.
        flag: u8,
    },
    /// The encoding of the call is unknown.
    #[error("Content is compressed with `{encoding}` which isn't supported")]
    Encoding {
        /// The encoding as named by the client.
        encoding: String,
    },
    /// The message cannot be decompressed.
    #[error("Error decompressing: {message}, while sending request")]
    Decompression {
        /// The cause.
        message: String,
    },
    /// The call ended within a message.
    #[error("Unexpected EOF decoding stream.")]
    CutOff,
    /// The call has no message.
    #[error("Missing request message.")]
    NoMessage,
    /// The response is larger than a message may be.
    #[error("Cannot return body with more than 4GB of data but got {length} bytes")]
    ResponseTooLarge {
        /// The size in bytes.
        length: usize,
    },
    /// The deadline of the client has passed.
    #[error("Deadline Exceeded")]
    Deadline,
    /// The data of the client arrived too slowly.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// The port has reached its connection limit.
    #[error("the server already has {limit} connections")]
    Connections {
        /// The limit.
        limit: u32,
    },
}

impl GrpcError {
    /// Returns the status of the error.
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
            | Self::ResponseTooLarge { .. } => Status::TooLarge,
            Self::Encoding { .. } => Status::Unsupported,
            Self::Bounded(BoundedError::Fields) => Status::InvalidArgument,
            Self::Bounded(BoundedError::Budget(_)) => Status::Exhausted,
            Self::Service { .. } => Status::NotFound,
            Self::Watches { .. } => Status::Exhausted,
            Self::Bounded(BoundedError::Decode(_))
            | Self::NoEncoding
            | Self::Flag { .. }
            | Self::Decompression { .. }
            | Self::CutOff
            | Self::NoMessage => Status::Internal,
        }
    }
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
