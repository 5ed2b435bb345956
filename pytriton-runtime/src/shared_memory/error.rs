use std::sync::Arc;

use thiserror::Error;

use crate::status::Status;

use super::Kind;
use super::key::RESERVED;

/// Why there is no such shared memory. The texts are those of Triton 2.51 where it has one.
///
/// Source: `shared_memory_manager.cc` in Triton 2.51; for [`Reserved`](Self::Reserved) that of 2.73.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SharedMemoryError {
    /// A region of that name is registered.
    #[error("shared memory region '{name}' already in manager")]
    Taken {
        /// The region.
        name: String,
    },
    /// The name of a region is longer than anybody needs.
    #[error("the name of a shared memory region cannot be longer than {limit} bytes")]
    Name {
        /// The limit.
        limit: usize,
    },
    /// No further region can be registered.
    #[error(
        "failed to register shared memory region '{name}': {limit} regions are registered, which is the limit"
    )]
    Limit {
        /// The region.
        name: String,
        /// How many there can be.
        limit: usize,
    },
    /// There is no shared memory of that key, or it must not be opened.
    #[error("Unable to open shared memory region: '{key}'")]
    Open {
        /// The key.
        key: String,
    },
    /// The key is that of memory which Triton's Python backend shares with its models.
    #[error(
        "cannot register shared memory region '{name}' with key '{key}' as the key contains the reserved prefix '{RESERVED}'"
    )]
    Reserved {
        /// The region.
        name: String,
        /// The key.
        key: String,
    },
    /// A region that ends behind its memory.
    #[error("failed to register shared memory region '{name}': invalid args")]
    Bounds {
        /// The region.
        name: String,
    },
    /// A region of no bytes, or one that does not begin with a page, or that has no end.
    #[error(
        "failed to register shared memory region '{name}': unable to process address spaceInvalid argument"
    )]
    AddressSpace {
        /// The region.
        name: String,
    },
    /// There is no GPU whose memory could be registered.
    #[error("failed to register shared memory region: invalid args")]
    NoGpu,
    /// There is no region of that name for an input or output.
    #[error("Unable to find shared memory region: '{name}'")]
    Unknown {
        /// The region.
        name: String,
    },
    /// There is no region of that name.
    #[error("Unable to find {} shared memory region: '{name}'", kind.lower())]
    NotFound {
        /// Of which kind.
        kind: Kind,
        /// The region.
        name: String,
    },
    /// The region of that name is of the other kind.
    #[error(
        "The region named '{name}' is registered as system shared memory, not CUDA shared memory"
    )]
    OtherKind {
        /// The region.
        name: String,
    },
    /// A request uses the region.
    #[error("Cannot unregister shared memory region '{name}', it is currently in use.")]
    InUse {
        /// The region.
        name: String,
    },
    /// Requests use some of all regions, which stay.
    #[error(
        "Failed to unregister the following system shared memory regions: {}",
        list(names)
    )]
    SomeInUse {
        /// The regions.
        names: Vec<String>,
    },
    /// An input or output that begins behind its region.
    #[error("Invalid offset for shared memory region: '{name}'")]
    Offset {
        /// The region.
        name: String,
    },
    /// An input or output that ends behind its region.
    #[error("Invalid offset + byte size for shared memory region: '{name}'")]
    Range {
        /// The region.
        name: String,
    },
    /// More bytes of inputs than a request may have.
    #[error(
        "request size exceeds the maximum allowed input size of {limit} bytes. Use --http-max-input-size, or --grpc-max-input-size over gRPC, to increase the limit."
    )]
    TooLarge {
        /// The limit.
        limit: usize,
    },
    /// The memory has become smaller than it was when it was registered.
    #[error(
        "shared memory region '{name}' has become smaller: expected {expected} bytes from {offset}, found {found}"
    )]
    Shrunk {
        /// The region.
        name: Arc<str>,
        /// Where the tensor begins in its memory.
        offset: u64,
        /// Its bytes.
        expected: usize,
        /// How many of them there are.
        found: u64,
    },
    /// The memory cannot be read or written.
    #[error("unable to access shared memory region '{name}': {message}")]
    Access {
        /// The region.
        name: Arc<str>,
        /// What the system says.
        message: String,
    },
    /// An output that does not fit into its place.
    #[error(
        "shared memory size specified with the request for output '{output}' ({byte_size} bytes) should be at least {needed} bytes to hold the results"
    )]
    OutputSize {
        /// The output.
        output: Arc<str>,
        /// What there is room for.
        byte_size: usize,
        /// What it has.
        needed: usize,
    },
}

impl SharedMemoryError {
    /// What kind of failure this is.
    pub fn status(&self) -> Status {
        match self {
            Self::Taken { .. } => Status::AlreadyExists,
            Self::Unknown { .. } | Self::NotFound { .. } | Self::OtherKind { .. } => {
                Status::NotFound
            }
            Self::Limit { .. } => Status::Unavailable,
            Self::Open { .. }
            | Self::InUse { .. }
            | Self::SomeInUse { .. }
            | Self::Access { .. }
            | Self::OutputSize { .. } => Status::Internal,
            _ => Status::InvalidArgument,
        }
    }
}

/// As Triton lists them, with a blank and a comma behind each.
fn list(names: &[String]) -> String {
    names.iter().map(|name| format!("{name} ,")).collect()
}
