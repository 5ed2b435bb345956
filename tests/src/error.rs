use std::io;
use std::time::Duration;

use thiserror::Error;

/// The failure of a process in a test.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum HarnessError {
    /// An I/O operation failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A process exceeded its deadline and was killed.
    #[error("{program} took more than {deadline:?}\n{output}")]
    Deadline {
        /// The name of the program.
        program: String,
        /// The deadline.
        deadline: Duration,
        /// Its output until then.
        output: String,
    },
    /// A process failed that must succeed.
    #[error("{program} failed with {status}\n{output}")]
    Failed {
        /// The name of the program.
        program: String,
        /// The exit status.
        status: std::process::ExitStatus,
        /// Its output.
        output: String,
    },
    /// A server did not log an expected text.
    #[error("the log has no `{text}` after {deadline:?}\n{log}")]
    Missing {
        /// The expected text.
        text: String,
        /// The deadline.
        deadline: Duration,
        /// The log until then.
        log: String,
    },
    /// A server's banner lacks a line.
    #[error("the banner has no line `{label}`\n{banner}")]
    Banner {
        /// The label of the line.
        label: &'static str,
        /// The received banner.
        banner: String,
    },
}

/// The result type of the harness.
pub type Result<T> = std::result::Result<T, HarnessError>;
