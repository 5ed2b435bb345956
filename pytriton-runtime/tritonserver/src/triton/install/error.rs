use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// tritonserver cannot be installed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum InstallError {
    /// There is no cache folder.
    #[error("no cache folder to install to: set XDG_CACHE_HOME or HOME")]
    NoCache,
    /// The wheel does not support this system.
    #[error(
        "the wheel {wheel} requires Linux on x86_64 with glibc 2.35 or newer, but this system is {system}: use your own tritonserver (--tritonserver PATH), or the embedded engine"
    )]
    System {
        /// The wheel.
        wheel: &'static str,
        /// This system.
        system: String,
    },
    /// No tool that downloads wheels was found.
    #[error(
        "cannot download the wheel {wheel}, because neither `pip` nor `uv` was found: install one of them (such as `apt install python3-pip`, or https://docs.astral.sh/uv)"
    )]
    NoTool {
        /// The wheel.
        wheel: &'static str,
    },
    /// The download failed; the tool has reported the cause.
    #[error("cannot download the wheel: `{tool}` {status}; see its output above")]
    Download {
        /// The tool.
        tool: String,
        /// Its exit status.
        status: String,
    },
    /// The checksum of the wheel is wrong.
    #[error("{path} has the wrong checksum: SHA-256 {got}, expected {expected}", path = path.display())]
    Checksum {
        /// The file.
        path: PathBuf,
        /// Its checksum.
        got: String,
        /// The expected checksum.
        expected: &'static str,
    },
    /// The wheel cannot be read.
    #[error("cannot read the wheel: {0}")]
    Wheel(#[from] zip::result::ZipError),
    /// A file of the wheel has a path outside the installation.
    #[error("the wheel contains the file `{name}`, whose path is outside the installation folder")]
    Escape {
        /// The name.
        name: String,
    },
    /// The wheel lacks a required file.
    #[error("the wheel does not contain {name}")]
    Incomplete {
        /// The file.
        name: &'static str,
    },
    /// An I/O error.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
}

impl InstallError {
    pub(super) fn at(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        |source| Self::Io { path, source }
    }
}
