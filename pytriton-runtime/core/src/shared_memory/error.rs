use std::sync::Arc;

use thiserror::Error;

use crate::status::Status;

use super::Kind;
use super::key::RESERVED;

/// An error of a shared-memory region. Where Triton 2.51 has a message, it is used.
///
/// Source: `shared_memory_manager.cc` in Triton 2.51; for [`Reserved`](Self::Reserved), Triton
/// 2.73.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SharedMemoryError {
    /// A region with this name is already registered.
    #[error("shared memory region '{name}' already in manager")]
    Taken {
        /// The region.
        name: String,
    },
    /// The name of the region is too long.
    #[error("the name of a shared memory region cannot be longer than {limit} bytes")]
    Name {
        /// The maximum length in bytes.
        limit: usize,
    },
    /// The maximum number of regions is registered.
    #[error(
        "failed to register shared memory region '{name}': {limit} regions are registered, which is the limit"
    )]
    Limit {
        /// The region.
        name: String,
        /// The maximum number of regions.
        limit: usize,
    },
    /// The key does not exist or cannot be opened.
    #[error("Unable to open shared memory region: '{key}'")]
    Open {
        /// The key.
        key: String,
    },
    /// The key is reserved for the memory of Triton's Python backend.
    #[error(
        "cannot register shared memory region '{name}' with key '{key}' as the key contains the reserved prefix '{RESERVED}'"
    )]
    Reserved {
        /// The region.
        name: String,
        /// The key.
        key: String,
    },
    /// The region ends beyond its memory.
    #[error("failed to register shared memory region '{name}': invalid args")]
    Bounds {
        /// The region.
        name: String,
    },
    /// The region is empty, is not aligned to a page, or overflows.
    #[error(
        "failed to register shared memory region '{name}': unable to process address spaceInvalid argument"
    )]
    AddressSpace {
        /// The region.
        name: String,
    },
    /// CUDA memory cannot be registered without a GPU.
    #[error("failed to register shared memory region: invalid args")]
    NoGpu,
    /// An input or output refers to an unknown region.
    #[error("Unable to find shared memory region: '{name}'")]
    Unknown {
        /// The region.
        name: String,
    },
    /// The region is not registered.
    #[error("Unable to find {} shared memory region: '{name}'", kind.lower())]
    NotFound {
        /// The requested kind.
        kind: Kind,
        /// The region.
        name: String,
    },
    /// The region is of the other kind.
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
    /// Requests use some of the regions, which stay registered.
    #[error(
        "Failed to unregister the following system shared memory regions: {}",
        list(names)
    )]
    SomeInUse {
        /// The regions.
        names: Vec<String>,
    },
    /// An input or output begins beyond its region.
    #[error("Invalid offset for shared memory region: '{name}'")]
    Offset {
        /// The region.
        name: String,
    },
    /// An input or output ends beyond its region.
    #[error("Invalid offset + byte size for shared memory region: '{name}'")]
    Range {
        /// The region.
        name: String,
    },
    /// The inputs are larger than a request may be.
    #[error(
        "request size exceeds the maximum allowed input size of {limit} bytes. Use --http-max-input-size, or --grpc-max-input-size over gRPC, to increase the limit."
    )]
    TooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// The memory is smaller than when it was registered.
    #[error(
        "shared memory region '{name}' has shrunk: expected {expected} bytes from {offset}, found {found}"
    )]
    Shrunk {
        /// The region.
        name: Arc<str>,
        /// The offset of the tensor in the memory.
        offset: u64,
        /// The size of the tensor in bytes.
        expected: usize,
        /// The bytes that remain.
        found: u64,
    },
    /// The memory cannot be read or written.
    #[error("unable to access shared memory region '{name}': {message}")]
    Access {
        /// The region.
        name: Arc<str>,
        /// The message of the system.
        message: String,
    },
    /// An output is larger than its section.
    #[error(
        "shared memory size specified with the request for output '{output}' ({byte_size} bytes) should be at least {needed} bytes to hold the results"
    )]
    OutputSize {
        /// The output.
        output: Arc<str>,
        /// The size of the section in bytes.
        byte_size: usize,
        /// The size of the output in bytes.
        needed: usize,
    },
}

impl SharedMemoryError {
    /// Returns the status of the error.
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

/// Lists names as Triton does, each followed by a space and a comma.
fn list(names: &[String]) -> String {
    names.iter().map(|name| format!("{name} ,")).collect()
}
