use axum::http::Method;
use thiserror::Error;

use crate::Status;
use crate::reception::{BodyError, Error as RoomError, Restricted};
use crate::shared_memory::Kind;

/// Why a request ended at the door. The texts are those of Triton where it has one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum HttpError {
    /// The error of the room where the request ended.
    #[error(transparent)]
    Room(#[from] RoomError),
    /// The path is in a group that is closed.
    #[error("This API is restricted, {0}")]
    Restricted(#[from] Restricted),
    /// There is nothing at that path.
    #[error("Not Found")]
    NotFound,
    /// The path does not answer that method.
    #[error("Method Not Allowed")]
    Method {
        /// The methods that it answers.
        allowed: &'static [Method],
    },
    /// Shared memory that is to be registered without a name.
    #[error("'region name' is necessary to register {} shared memory region", kind.lower())]
    NoRegion {
        /// Of which kind.
        kind: Kind,
    },
    /// The model is not there, or takes no requests.
    #[error("Model version not ready")]
    NotReady,
    /// No host or several, where HTTP/1.1 demands one.
    #[error("a request must have one Host header, found {count}")]
    Host {
        /// How many there are.
        count: usize,
    },
    /// A name that the port may not be addressed by, as of a web page whose name resolves to it.
    #[error("the Host '{host}' is not allowed on this port. Use --allowed-hosts to allow it.")]
    HostNotAllowed {
        /// The host, with its port.
        host: String,
    },
    /// A body that is encoded for its way in another manner than by chunks.
    #[error("Transfer-Encoding must be chunked, found '{found}'")]
    TransferEncoding {
        /// The value.
        found: String,
    },
    /// More headers than the limit.
    #[error(
        "request has more than the maximum of {limit} headers. Use --max-headers to increase the limit."
    )]
    Headers {
        /// The limit.
        limit: usize,
    },
    /// A path and headers that are too long.
    #[error(
        "request head exceeds the maximum of {limit} bytes. Use --max-header-bytes to increase the limit."
    )]
    HeadTooLarge {
        /// The limit.
        limit: usize,
    },
    /// A body that says that it is larger than the limit.
    #[error(
        "request JSON size of {length} bytes exceeds the maximum allowed input size of {limit} bytes. Use --http-max-input-size to increase the limit."
    )]
    BodySize {
        /// The value of `Content-Length`.
        length: u64,
        /// The limit.
        limit: usize,
    },
    /// A body that turns out to be larger than the limit.
    #[error(
        "request size exceeds the maximum allowed input size of {limit} bytes. Use --http-max-input-size to increase the limit."
    )]
    BodyTooLarge {
        /// The limit.
        limit: usize,
    },
    /// A content type that has the beginning of one that tells how much of the body is JSON, elsewhere than at its beginning.
    #[error("expect MIME type for binary data starts with '{prefix}', got: {got}")]
    BinaryType {
        /// What it begins with.
        prefix: &'static str,
        /// The value.
        got: String,
    },
    /// A body that breaks off.
    #[error("unable to read the request body: {message}")]
    BodyRead {
        /// What the connection says.
        message: String,
    },
    /// There are too many connections for requests on one more.
    #[error("the server has {limit} connections already")]
    Connections {
        /// The limit.
        limit: u32,
    },
    /// A tritonserver beside this server does not answer.
    #[error("{message}")]
    Beside {
        /// Why not.
        message: String,
    },
    /// A body that comes too slowly.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// An encoding that is not known.
    #[error("Unsupported compression type")]
    ContentEncoding,
    /// A compressed body for a route that takes none.
    #[error("Unsupported content-encoding, only 'identity' is supported.")]
    GenerateEncoding,
    /// A compressed body of no bytes.
    #[error("nothing to be decompressed")]
    NothingToDecompress,
    /// A body that is not compressed as it says.
    #[error("unable to decompress the request body: {message}")]
    Decompression {
        /// What the decoder says.
        message: String,
    },
    /// A body that becomes larger than the limit.
    #[error(
        "Decompressed data size exceeds the maximum allowed value of {limit} bytes. Use --http-max-input-size to increase the limit."
    )]
    DecompressedSize {
        /// The limit.
        limit: usize,
    },
}

impl HttpError {
    /// The HTTP status code.
    pub fn status(&self) -> u16 {
        match self {
            Self::Room(error) => error.status().http(),
            Self::Body(BodyError::Stopping) | Self::Connections { .. } | Self::Beside { .. } => {
                Status::Unavailable.http()
            }
            Self::Restricted(_) => 403,
            Self::HostNotAllowed { .. } => 421,
            Self::Method { .. } => 405,
            Self::HeadTooLarge { .. } | Self::Headers { .. } => 431,
            Self::NotFound => Status::NotFound.http(),
            Self::ContentEncoding => Status::Unsupported.http(),
            // Triton answers a body that is too large with 400 too.
            Self::Host { .. }
            | Self::TransferEncoding { .. }
            | Self::NoRegion { .. }
            | Self::NotReady
            | Self::BodySize { .. }
            | Self::BodyTooLarge { .. }
            | Self::BinaryType { .. }
            | Self::BodyRead { .. }
            | Self::Body(_)
            | Self::GenerateEncoding
            | Self::NothingToDecompress
            | Self::Decompression { .. }
            | Self::DecompressedSize { .. } => Status::InvalidArgument.http(),
        }
    }
}
