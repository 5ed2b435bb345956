use std::env;
use std::ffi::OsString;
use std::fmt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::cache;

/// The binary's name.
const NAME: &str = "tritonserver";

/// Where NVIDIA's containers have it.
const CONTAINER: &str = "/opt/tritonserver";

/// Where a tritonserver may be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places {
    /// What the user names: the binary, or the folder it is installed in. It is looked at alone.
    pub named: Option<PathBuf>,
    /// The folders of `PATH`.
    pub path: Option<OsString>,
    /// Folders that it may be installed in, in order, each with the words for it.
    pub installed: Vec<(Found, PathBuf)>,
}

/// A tritonserver that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// The binary.
    pub binary: PathBuf,
    /// Where it was found.
    pub found: Found,
}

/// Where a tritonserver was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// Where the user said.
    Named,
    /// In a folder of `PATH`.
    Path,
    /// Where NVIDIA's containers have it.
    Container,
    /// Where `install` has put it.
    Cache,
}

/// No tritonserver is there.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LocateError {
    /// What the user names is none.
    #[error("no tritonserver at {path} (option --tritonserver)", path = path.display())]
    Named {
        /// What the user names.
        path: PathBuf,
    },
    /// What the user names is a file that nobody may run.
    #[error("{path} cannot be run: it is not executable (option --tritonserver)", path = path.display())]
    NotExecutable {
        /// What the user names.
        path: PathBuf,
    },
    /// None of the places has one.
    #[error("no tritonserver in PATH{others}", others = listed(looked_at))]
    Nowhere {
        /// Where it was looked for, beside `PATH`.
        looked_at: Vec<PathBuf>,
    },
}

impl Places {
    /// The places of this process and system.
    pub fn new(named: Option<PathBuf>) -> Self {
        let container = (Found::Container, PathBuf::from(CONTAINER));
        let cache = cache::installation().map(|path| (Found::Cache, path));
        Self {
            named,
            path: env::var_os("PATH"),
            installed: [Some(container), cache].into_iter().flatten().collect(),
        }
    }

    /// Looks for a tritonserver.
    ///
    /// # Errors
    ///
    /// A [`LocateError`] that says where there is none.
    pub fn locate(&self) -> Result<Located, LocateError> {
        let located = |binary, found| Located { binary, found };
        if let Some(named) = &self.named {
            let inside = named.join("bin").join(NAME);
            let files = || {
                let both = [named.clone(), inside.clone()].into_iter();
                both.filter(|path| path.is_file())
            };
            return match (files().find(|path| executable(path)), files().next()) {
                (Some(path), _) => Ok(located(path, Found::Named)),
                (None, Some(path)) => Err(LocateError::NotExecutable { path }),
                (None, None) => Err(LocateError::Named {
                    path: named.clone(),
                }),
            };
        }
        let in_path = env::split_paths(self.path.as_deref().unwrap_or_default())
            .map(|folder| (Found::Path, folder.join(NAME)));
        let installed = || {
            let folders = self.installed.iter();
            folders.map(|(found, folder)| (*found, folder.join("bin").join(NAME)))
        };
        in_path
            .chain(installed())
            // An empty or relative folder of PATH would make it depend on where we are started.
            .find(|(_, path)| path.is_absolute() && executable(path))
            .map(|(found, path)| located(path, found))
            .ok_or_else(|| LocateError::Nowhere {
                looked_at: installed().map(|(_, path)| path).collect(),
            })
    }
}

impl Located {
    /// The folder it is installed in, which has its backends and caches.
    pub fn root(&self) -> Option<PathBuf> {
        // What stands in PATH may be a link.
        let binary = self.binary.canonicalize().ok()?;
        Some(binary.parent()?.parent()?.to_owned())
    }

    /// Its response caches, if it has some.
    pub fn caches(&self) -> Option<PathBuf> {
        self.root()
            .map(|root| root.join("caches"))
            .filter(|path| path.is_dir())
    }

    /// Its own backends, if it has some.
    pub fn backends(&self) -> Option<PathBuf> {
        self.root()
            .map(|root| root.join("backends"))
            .filter(|path| path.is_dir())
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Named => "as asked for",
            Self::Path => "found in PATH",
            Self::Container => "found where NVIDIA's containers have it",
            Self::Cache => "installed by `install`",
        })
    }
}

fn executable(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

fn listed(paths: &[PathBuf]) -> String {
    paths
        .iter()
        .map(|path| format!(", none at {}", path.display()))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn put(folder: &Path, mode: u32) -> PathBuf {
        fs::create_dir_all(folder).unwrap();
        let path = folder.join(NAME);
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    #[test]
    fn the_first_place_that_has_one_wins() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        let places = |named: Option<&str>| Places {
            named: named.map(&at),
            path: Some(env::join_paths([at("a"), at("b"), "relative".into()]).unwrap()),
            installed: vec![(Found::Container, at("opt")), (Found::Cache, at("cache"))],
        };
        let error = places(None).locate().unwrap_err();
        assert!(
            error.to_string().ends_with("/cache/bin/tritonserver"),
            "{error}"
        );
        // From the last place to the first: each new one is taken.
        for (folder, found) in [
            ("cache/bin", Found::Cache),
            ("opt/bin", Found::Container),
            ("b", Found::Path),
            ("a", Found::Path),
        ] {
            let binary = put(&at(folder), 0o755);
            assert_eq!(places(None).locate(), Ok(Located { binary, found }));
        }
        put(&at("a"), 0o644);
        assert_eq!(places(None).locate().unwrap().binary, at("b/tritonserver"));
        for named in ["cache/bin/tritonserver", "cache"] {
            let located = places(Some(named)).locate().unwrap();
            assert_eq!(
                (located.binary, located.found),
                (at("cache/bin/tritonserver"), Found::Named)
            );
        }
        // What is named is not looked for elsewhere.
        let path = at("nothing");
        assert_eq!(
            places(Some("nothing")).locate(),
            Err(LocateError::Named { path })
        );
        for named in ["a/tritonserver", "closed"] {
            let path = put(&at("closed/bin"), 0o644);
            let path = match named {
                "closed" => path,
                _ => at(named),
            };
            assert_eq!(
                places(Some(named)).locate(),
                Err(LocateError::NotExecutable { path })
            );
        }
    }

    #[test]
    fn a_link_leads_to_the_folder_of_the_server() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let binary = put(&root.join("real/bin"), 0o755);
        fs::create_dir_all(root.join("real/caches/local")).unwrap();
        std::os::unix::fs::symlink(&binary, root.join("link")).unwrap();
        let located = Located {
            binary: root.join("link"),
            found: Found::Path,
        };
        assert_eq!(located.caches(), Some(root.join("real/caches")));
        assert_eq!(located.backends(), None);
    }
}
