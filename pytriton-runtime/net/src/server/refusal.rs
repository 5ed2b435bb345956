use http::StatusCode;
use thiserror::Error;

use pytriton_core::memory_budget::MemoryBudgetError;

/// Why a port refuses a request before its service sees it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Refusal {
    /// An HTTP/1.1 request does not have exactly one `Host` header.
    #[error("a request must have one Host header, found {count}")]
    Host {
        /// The number of headers.
        count: usize,
    },
    /// The host name is not allowed, for example because a web page has rebound its name.
    #[error("the Host '{host}' is not allowed on this port")]
    HostNotAllowed {
        /// The host, with its port.
        host: String,
    },
    /// A web page on a host that is not allowed sent the request.
    #[error("the Origin '{origin}' is not allowed on this port")]
    OriginNotAllowed {
        /// The origin.
        origin: String,
    },
    /// The transfer encoding is not `chunked`.
    #[error("Transfer-Encoding must be chunked, found '{found}'")]
    TransferEncoding {
        /// The value.
        found: String,
    },
    /// The memory budget has no space for the head of the request.
    #[error(transparent)]
    Memory(#[from] MemoryBudgetError),
    /// The port has reached its connection limit.
    #[error("the server already has {limit} connections")]
    Connections {
        /// The limit.
        limit: u32,
    },
}

impl Refusal {
    /// Returns the HTTP status code.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::Host { .. } | Self::TransferEncoding { .. } => StatusCode::BAD_REQUEST,
            Self::HostNotAllowed { .. } => StatusCode::MISDIRECTED_REQUEST,
            Self::OriginNotAllowed { .. } => StatusCode::FORBIDDEN,
            Self::Memory(_) | Self::Connections { .. } => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}
