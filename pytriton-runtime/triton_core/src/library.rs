use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::CoreError;
use crate::ffi::Loaded;

/// The name of the library in NVIDIA's containers. In the package on PyPI it contains a checksum.
const NAME: &str = "libtritonserver.so";

/// The start of the library's name in the package on PyPI.
const PREFIX: &str = "libtritonserver-";

/// Triton's library, which is open until the process ends.
///
/// A process can have only one: backends find Triton's functions in the global scope of the
/// process.
#[derive(Debug, Clone, Copy)]
pub struct Library(pub(crate) &'static Loaded);

/// The library cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LibraryError {
    /// An installation contains no library.
    #[error("{folder} contains no libtritonserver.so", folder = folder.display())]
    Missing {
        /// The folder of the libraries.
        folder: PathBuf,
    },
    /// The loader of the system cannot open it.
    #[error("cannot open {path}: {message}", path = path.display())]
    Open {
        /// The library.
        path: PathBuf,
        /// The message of the loader.
        message: String,
    },
    /// It lacks a function.
    #[error("{path} has no function {symbol}: it is not the library of a supported Triton", path = path.display())]
    Function {
        /// The library.
        path: PathBuf,
        /// The function.
        symbol: String,
    },
    /// Its API is too old or too new.
    #[error(
        "{path} has version {major}.{minor} of Triton's API: version {supported} or a later minor version is needed (Triton 23.10 to 26.11)",
        path = path.display(), supported = SupportedApi
    )]
    Version {
        /// The library.
        path: PathBuf,
        /// The major version.
        major: u32,
        /// The minor version.
        minor: u32,
    },
    /// The process has opened another one.
    #[error("cannot open {path}: this process uses {open}, and can use only one Triton", path = path.display(), open = open.display())]
    Another {
        /// The library.
        path: PathBuf,
        /// The library that is open.
        open: PathBuf,
    },
    /// It could not be initialized.
    #[error("cannot initialize {path}", path = path.display())]
    Initialize {
        /// The library.
        path: PathBuf,
        /// The cause.
        #[source]
        source: CoreError,
    },
}

/// The version of Triton's API that this crate needs.
#[derive(Debug, Clone, Copy)]
struct SupportedApi;

impl SupportedApi {
    const MAJOR: u32 = 1;
    /// The version that introduced the cancellation of requests, in October 2023.
    const MINOR: u32 = 25;
}

impl std::fmt::Display for SupportedApi {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", Self::MAJOR, Self::MINOR)
    }
}

impl Library {
    /// Opens the library at a path, and the libraries next to it that it needs. Later calls with
    /// the same path return the same library.
    ///
    /// Code of the library runs in this process. As with an executable, the path must be that of an
    /// installation that the user trusts.
    ///
    /// # Errors
    ///
    /// Returns a [`LibraryError`] if the file is not Triton's library, if its version is not
    /// supported, or if another one is open.
    pub fn open(path: &Path) -> Result<Self, LibraryError> {
        Loaded::open(path).map(Self)
    }

    /// Opens the library of an installation, in its folder `lib`.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open), and if there is no library.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use std::path::Path;
    /// use pytriton_triton_core::Library;
    ///
    /// let library = Library::of_installation(Path::new("/opt/tritonserver"))?;
    /// println!("Triton's API {}", library.api_version());
    /// # Ok::<(), pytriton_triton_core::LibraryError>(())
    /// ```
    pub fn of_installation(root: &Path) -> Result<Self, LibraryError> {
        Self::open(&locate(root)?)
    }

    /// Returns the version of its API, such as `1.34`.
    pub fn api_version(self) -> String {
        let (major, minor) = self.0.version();
        format!("{major}.{minor}")
    }

    /// Returns its path.
    pub fn path(self) -> &'static Path {
        self.0.path()
    }
}

/// Returns an error if a version of the API is not supported.
pub(crate) fn check_version(path: &Path, (major, minor): (u32, u32)) -> Result<(), LibraryError> {
    if major == SupportedApi::MAJOR && minor >= SupportedApi::MINOR {
        return Ok(());
    }
    Err(LibraryError::Version {
        path: path.to_owned(),
        major,
        minor,
    })
}

/// Returns the path of the library of an installation.
fn locate(root: &Path) -> Result<PathBuf, LibraryError> {
    let folder = root.join("lib");
    let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.file_name().is_some_and(is_triton))
        .collect();
    // If there are several, the result must not depend on the file system.
    found.sort();
    found.pop().ok_or(LibraryError::Missing { folder })
}

fn is_triton(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name == NAME || name.starts_with(PREFIX) && name.ends_with(".so")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn library_of_containers_and_of_the_package_is_found() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("lib");
        let error = locate(root.path()).unwrap_err();
        assert!(matches!(error, LibraryError::Missing { .. }), "{error}");
        fs::create_dir(&folder).unwrap();
        for name in ["libtritonserver-717102f0.so", "libtritonserver.so"] {
            fs::write(folder.join("libtritonserver-notes.txt"), "").unwrap();
            fs::write(folder.join(name), "").unwrap();
            assert_eq!(locate(root.path()), Ok(folder.join(name)));
        }
    }

    #[test]
    fn other_api_versions_are_refused_with_the_supported_ones() {
        let path = Path::new("/lib");
        for (version, supported) in [
            ((1, 24), false),
            ((1, 25), true),
            ((1, 34), true),
            ((1, 99), true),
            ((2, 30), false),
            ((0, 30), false),
        ] {
            assert_eq!(
                check_version(path, version).is_ok(),
                supported,
                "{version:?}"
            );
        }
        let message = check_version(path, (1, 22)).unwrap_err().to_string();
        let expected = "version 1.22 of Triton's API: version 1.25 or a later minor version";
        assert!(message.contains(expected), "{message}");
    }
}
