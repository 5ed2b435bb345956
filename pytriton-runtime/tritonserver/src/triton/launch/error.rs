use std::io;

use thiserror::Error;

use crate::triton::process::{ExitReport, NotReady, PortError, StartupTimeout};
use crate::triton::{DescriptorError, UnknownFlag};

/// A tritonserver could not be started.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// It does not support an option.
    #[error(transparent)]
    Flag(#[from] UnknownFlag),
    /// The access tokens cannot be passed to it.
    #[error(
        "cannot pass the access token to tritonserver outside of its command line, because the path of the work folder contains a colon or a blank: use another folder (XDG_CACHE_HOME, TMPDIR), or remove all restrictions (--restricted-endpoints=)"
    )]
    Secrets,
    /// A port is not available.
    #[error(transparent)]
    Port(#[from] PortError),
    /// The system cannot start the binary.
    #[error("cannot start {binary}: {source}")]
    Spawn {
        /// The binary.
        binary: String,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// It ran out of descriptors.
    #[error(transparent)]
    Descriptors(#[from] DescriptorError),
    /// It exited before it was ready.
    #[error("tritonserver {exit}")]
    Ended {
        /// The exit status and its last messages.
        exit: ExitReport,
    },
    /// It was not ready in time.
    #[error("tritonserver {0}")]
    StartupTimeout(StartupTimeout),
}

impl From<NotReady> for LaunchError {
    fn from(not_ready: NotReady) -> Self {
        match not_ready {
            NotReady::Ended(exit) => Self::Ended { exit },
            NotReady::StartupTimeout(late) => Self::StartupTimeout(late),
        }
    }
}
