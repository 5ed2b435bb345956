use std::io;

use thiserror::Error;

use crate::triton::process::{Exit, Late, PortError};
use crate::triton::{DescriptorError, UnknownFlag};

/// Why a tritonserver does not answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// It lacks an option.
    #[error(transparent)]
    Flag(#[from] UnknownFlag),
    /// It cannot be told what opens its groups.
    #[error(
        "tritonserver cannot be told the access token past its command line: the path of its folder has a colon or a blank, take \
         another one (XDG_CACHE_HOME, TMPDIR), or leave all groups open (--restricted-endpoints=)"
    )]
    Secrets,
    /// It cannot have a port.
    #[error(transparent)]
    Port(#[from] PortError),
    /// The system cannot start it.
    #[error("cannot start {binary}: {source}")]
    Spawn {
        /// The binary.
        binary: String,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// It cannot open what it needs.
    #[error(transparent)]
    Descriptors(#[from] DescriptorError),
    /// It ended before it was ready.
    #[error("tritonserver {exit}")]
    Ended {
        /// How, and its own words.
        exit: Exit,
    },
    /// It takes longer than it may to be ready.
    #[error("tritonserver {0}")]
    Late(Late),
}
