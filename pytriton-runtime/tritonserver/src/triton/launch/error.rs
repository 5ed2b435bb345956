use std::collections::BTreeSet;
use std::io;

use pytriton_engine::access::Protocol;
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
    /// The secret values of these options cannot be passed to it. If only access tokens are secret,
    /// `--restricted-endpoints=` makes them unnecessary.
    #[error(
        "cannot pass the values of {flags} to tritonserver outside of its command line, because the path of the work folder contains a colon or a blank: use another folder (XDG_CACHE_HOME, TMPDIR){or_advice}"
    )]
    Secrets {
        /// The options.
        flags: String,
        /// An alternative to another folder, or nothing.
        or_advice: &'static str,
    },
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
    /// The caller has stopped the start.
    #[error("the start of tritonserver was stopped")]
    Stopped,
    /// It was not ready in time.
    #[error("tritonserver {0}")]
    StartupTimeout(StartupTimeout),
}

impl LaunchError {
    /// Returns the error for secret values of these options.
    pub(super) fn secrets(flags: &BTreeSet<&'static str>) -> Self {
        let restrictions = Protocol::ALL.map(Protocol::option);
        let only_tokens = flags.iter().all(|flag| restrictions.contains(flag));
        let names: Vec<String> = flags.iter().map(|flag| format!("--{flag}")).collect();
        Self::Secrets {
            flags: names.join(", "),
            or_advice: match only_tokens {
                true => ", or remove all restrictions (--restricted-endpoints=)",
                false => "",
            },
        }
    }
}

impl From<NotReady> for LaunchError {
    fn from(not_ready: NotReady) -> Self {
        match not_ready {
            NotReady::Ended(exit) => Self::Ended { exit },
            NotReady::StartupTimeout(late) => Self::StartupTimeout(late),
        }
    }
}
