use std::io;
use std::time::Duration;

use thiserror::Error;

/// Why a process did not do what a test wants of it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum HarnessError {
    /// The operating system refused something.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A process was still at work when its time was over, and was killed.
    #[error("{program} took more than {deadline:?}\n{output}")]
    Deadline {
        /// What was run.
        program: String,
        /// How long it had.
        deadline: Duration,
        /// What it had written.
        output: String,
    },
    /// A process that must succeed failed.
    #[error("{program} failed with {status}\n{output}")]
    Failed {
        /// What was run.
        program: String,
        /// How it ended.
        status: std::process::ExitStatus,
        /// What it wrote.
        output: String,
    },
    /// A server's banner lacks a line.
    #[error("the banner has no line `{label}`\n{banner}")]
    Banner {
        /// The label of the line.
        label: &'static str,
        /// The banner as it came.
        banner: String,
    },
}

/// A result of the harness.
pub type Result<T> = std::result::Result<T, HarnessError>;
