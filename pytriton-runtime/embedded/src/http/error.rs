use std::time::Duration;

use axum::http::Method;
use pytriton_core::shared_memory::Kind;
use pytriton_core::status::Status;
use pytriton_net::{BodyError, Refusal};
use thiserror::Error;

use crate::service::routes::Rejection;
use crate::service::{Error as ServiceError, Restricted};

/// Why an HTTP request failed. Where Triton has a message, it is used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum HttpError {
    /// The error of another layer.
    #[error(transparent)]
    Service(#[from] ServiceError),
    /// The path belongs to a restricted group.
    #[error("This API is restricted, {0}")]
    Restricted(#[from] Restricted),
    /// The path does not exist.
    #[error("Not Found")]
    NotFound,
    /// The path does not support the method.
    #[error("Method Not Allowed")]
    Method {
        /// The methods that it supports.
        allowed: &'static [Method],
    },
    /// The name of the shared-memory region is missing.
    #[error("'region name' is necessary to register {} shared memory region", kind.lower())]
    NoRegion {
        /// The kind of memory.
        kind: Kind,
    },
    /// The model does not exist or is not ready.
    #[error("Model version not ready")]
    NotReady,
    /// The port refuses the request.
    #[error(transparent)]
    Refused(Refusal),
    /// The host name is not allowed, for example because a web page has rebound its name.
    #[error("the Host '{host}' is not allowed on this port. Use --allowed-hosts to allow it.")]
    HostNotAllowed {
        /// The host, with its port.
        host: String,
    },
    /// A web page on a host that is not allowed sent the request. Add that host to
    /// `--allowed-hosts`.
    #[error(
        "the Origin '{origin}' is not allowed on this port. Use --allowed-hosts to allow its host."
    )]
    OriginNotAllowed {
        /// The origin.
        origin: String,
    },
    /// The request has too many headers.
    #[error(
        "request has more than the maximum of {limit} headers. Use --max-headers to increase the limit."
    )]
    Headers {
        /// The limit.
        limit: usize,
    },
    /// The path and the headers are too long.
    #[error(
        "request head exceeds the maximum of {limit} bytes. Use --max-header-bytes to increase the limit."
    )]
    HeadTooLarge {
        /// The limit.
        limit: usize,
    },
    /// `Content-Length` exceeds the limit.
    #[error(
        "request JSON size of {length} bytes exceeds the maximum allowed input size of {limit} bytes. Use --http-max-input-size to increase the limit."
    )]
    BodySize {
        /// The value of `Content-Length`.
        length: u64,
        /// The limit.
        limit: usize,
    },
    /// The body exceeds the limit.
    #[error(
        "request size exceeds the maximum allowed input size of {limit} bytes. Use --http-max-input-size to increase the limit."
    )]
    BodyTooLarge {
        /// The limit.
        limit: usize,
    },
    /// The content type contains the prefix for binary requests, but does not start with it.
    #[error("expect MIME type for binary data starts with '{prefix}', got: {got}")]
    BinaryType {
        /// The prefix.
        prefix: &'static str,
        /// The value.
        got: String,
    },
    /// The body ended early.
    #[error("unable to read the request body: {message}")]
    BodyRead {
        /// The error of the connection.
        message: String,
    },
    /// The tritonserver next to this server has not responded.
    #[error("{message}")]
    Tritonserver {
        /// The reason.
        message: String,
    },
    /// The body arrived too slowly.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// The content encoding is unknown.
    #[error("Unsupported compression type")]
    ContentEncoding,
    /// The body is compressed, but the route does not support that.
    #[error("Unsupported content-encoding, only 'identity' is supported.")]
    GenerateEncoding,
    /// The compressed body is empty.
    #[error("nothing to be decompressed")]
    NothingToDecompress,
    /// The body cannot be decompressed.
    #[error("unable to decompress the request body: {message}")]
    Decompression {
        /// The error of the decoder.
        message: String,
    },
    /// The decompressed body exceeds the limit.
    #[error(
        "Decompressed data size exceeds the maximum allowed value of {limit} bytes. Use --http-max-input-size to increase the limit."
    )]
    DecompressedSize {
        /// The limit.
        limit: usize,
    },
}

impl HttpError {
    /// Returns how long the client should wait before it retries, if the function set it.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Service(error) => error.retry_after(),
            _ => None,
        }
    }

    /// Returns the HTTP status code.
    pub fn status(&self) -> u16 {
        match self {
            Self::Service(error) => error.status().http(),
            Self::Refused(refusal) => refusal.status().as_u16(),
            Self::Body(BodyError::Stopping) | Self::Tritonserver { .. } => {
                Status::Unavailable.http()
            }
            Self::Restricted(_) | Self::OriginNotAllowed { .. } => 403,
            Self::HostNotAllowed { .. } => 421,
            Self::Method { .. } => 405,
            Self::HeadTooLarge { .. } | Self::Headers { .. } => 431,
            Self::NotFound => Status::NotFound.http(),
            Self::ContentEncoding => Status::Unsupported.http(),
            // Triton uses status 400 for a body that is too large, too.
            Self::NoRegion { .. }
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

impl From<Refusal> for HttpError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Memory(error) => Self::Service(error.into()),
            Refusal::HostNotAllowed { host } => Self::HostNotAllowed { host },
            Refusal::OriginNotAllowed { origin } => Self::OriginNotAllowed { origin },
            refusal => Self::Refused(refusal),
        }
    }
}

impl From<Rejection> for HttpError {
    fn from(rejection: Rejection) -> Self {
        match rejection {
            Rejection::Headers { limit, .. } => Self::Headers { limit },
            Rejection::HeadTooLarge { limit, .. } => Self::HeadTooLarge { limit },
            Rejection::NotFound => Self::NotFound,
            Rejection::Restricted(restricted) => Self::Restricted(restricted),
            Rejection::Method { allowed } => Self::Method { allowed },
        }
    }
}
