use std::env;
use std::ffi::OsString;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use rustix::process::{getegid, geteuid};
use thiserror::Error;

use super::cache;

/// The name of the binary.
const NAME: &str = "tritonserver";

/// The installation in NVIDIA's containers.
const CONTAINER: &str = "/opt/tritonserver";

/// The places in which to look for a tritonserver.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchPaths {
    /// The path that the user gave: the binary, or the folder of the installation. If set, it is
    /// the only candidate.
    pub named: Option<PathBuf>,
    /// The value of `PATH`.
    pub path: Option<OsString>,
    /// Installation folders in order of preference, each with its description.
    pub installed: Vec<(Found, PathBuf)>,
}

/// A tritonserver that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// The binary.
    pub binary: PathBuf,
    /// The kind of place where it was found.
    pub found: Found,
}

/// The kind of place where a tritonserver was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// The path that the user gave.
    Named,
    /// A folder in `PATH`.
    Path,
    /// The installation in NVIDIA's containers.
    Container,
    /// The folder of `install`.
    Cache,
}

/// No tritonserver was found.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LocateError {
    /// The path that the user gave contains no tritonserver.
    #[error("no tritonserver found at {path} (option --tritonserver)", path = path.display())]
    Named {
        /// The path.
        path: PathBuf,
    },
    /// The path that the user gave is not executable.
    #[error("{path} cannot be run: it is not executable (option --tritonserver)", path = path.display())]
    NotExecutable {
        /// The path.
        path: PathBuf,
    },
    /// Other users could have changed the installation in the cache.
    #[error(
        "refused to run {path}, because another user could have changed it: remove the folder and run `install` again, or set --tritonserver", path = path.display()
    )]
    Untrusted {
        /// The file or folder that others own or can write to.
        path: PathBuf,
    },
    /// No place contains a tritonserver.
    #[error("no tritonserver found in PATH{others}", others = listed(searched))]
    Nowhere {
        /// The places in addition to `PATH`.
        searched: Vec<PathBuf>,
    },
}

impl SearchPaths {
    /// Returns the places of this process and system.
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
    /// Returns a [`LocateError`] that names the places that were searched.
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
        let (found, path) = in_path
            .chain(installed())
            // An empty or relative folder in `PATH` would depend on the current folder.
            .find(|(_, path)| path.is_absolute() && executable(path))
            .ok_or_else(|| LocateError::Nowhere {
                searched: installed().map(|(_, path)| path).collect(),
            })?;
        if found == Found::Cache {
            check_trusted(&path)?;
        }
        Ok(located(path, found))
    }
}

impl Located {
    /// Returns the folder of the installation, which contains its backends and caches.
    pub fn root(&self) -> Option<PathBuf> {
        // The entry in `PATH` may be a symbolic link.
        let binary = self.binary.canonicalize().ok()?;
        Some(binary.parent()?.parent()?.to_owned())
    }

    /// Returns the folder of its response caches, if there is one.
    pub fn caches(&self) -> Option<PathBuf> {
        self.root()
            .map(|root| root.join("caches"))
            .filter(|path| path.is_dir())
    }

    /// Returns the folder of its own backends, if there is one.
    pub fn backends(&self) -> Option<PathBuf> {
        self.root()
            .map(|root| root.join("backends"))
            .filter(|path| path.is_dir())
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Named => "set by --tritonserver",
            Self::Path => "found in PATH",
            Self::Container => "found at the path of NVIDIA's containers",
            Self::Cache => "installed by `install`",
        })
    }
}

/// Refuses a cached installation if other users could have changed any of its files or folders: the
/// server loads libraries, caches and backends from it.
///
/// The environment determines the cache folder. Write access for the user's own group is accepted:
/// it depends on the `umask`.
fn check_trusted(binary: &Path) -> Result<(), LocateError> {
    let root = binary.parent().and_then(Path::parent).unwrap_or(binary);
    // `pytriton/tritonserver/VERSION`: a user who can replace a parent folder controls its content.
    let mut unchecked: Vec<_> = root.ancestors().take(3).map(Path::to_owned).collect();
    unchecked.reverse();
    // Only the installation itself is searched, without following links.
    while let Some(path) = unchecked.pop() {
        if others_can_write(&path) {
            return Err(LocateError::Untrusted { path });
        }
        if path == root || path.starts_with(root) && !path.is_symlink() {
            let entries = fs::read_dir(&path).into_iter().flatten().flatten();
            unchecked.extend(entries.map(|entry| entry.path()));
        }
    }
    Ok(())
}

/// Returns whether anyone but this user and root can change a file. A missing file cannot be
/// changed.
fn others_can_write(path: &Path) -> bool {
    let Ok(metadata) = path.symlink_metadata() else {
        return false;
    };
    let user = geteuid().as_raw();
    let own = [user, 0].contains(&metadata.uid());
    // In a folder with the sticky bit, users cannot replace files of others.
    let sticky = metadata.is_dir() && metadata.mode() & 0o1000 != 0;
    let open = metadata.mode() & 0o002 != 0 && !sticky;
    let others = metadata.gid() != getegid().as_raw();
    let to_group = metadata.mode() & 0o020 != 0 && others && !sticky;
    !own || !metadata.is_symlink() && (open || to_group)
}

fn executable(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

fn listed(paths: &[PathBuf]) -> String {
    paths
        .iter()
        .map(|path| format!(" or at {}", path.display()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(folder: &Path, mode: u32) -> PathBuf {
        fs::create_dir_all(folder).unwrap();
        let path = folder.join(NAME);
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    #[test]
    fn first_location_with_a_server_is_used() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        let paths = |named: Option<&str>| SearchPaths {
            named: named.map(&at),
            path: Some(env::join_paths([at("a"), at("b"), "relative".into()]).unwrap()),
            installed: vec![(Found::Container, at("opt")), (Found::Cache, at("cache"))],
        };
        let error = paths(None).locate().unwrap_err();
        assert!(
            error.to_string().ends_with("/cache/bin/tritonserver"),
            "{error}"
        );
        // From the last place to the first: each new one takes precedence.
        for (folder, found) in [
            ("cache/bin", Found::Cache),
            ("opt/bin", Found::Container),
            ("b", Found::Path),
            ("a", Found::Path),
        ] {
            let binary = put(&at(folder), 0o755);
            assert_eq!(paths(None).locate(), Ok(Located { binary, found }));
        }
        put(&at("a"), 0o644);
        assert_eq!(paths(None).locate().unwrap().binary, at("b/tritonserver"));
        for named in ["cache/bin/tritonserver", "cache"] {
            let located = paths(Some(named)).locate().unwrap();
            assert_eq!(
                (located.binary, located.found),
                (at("cache/bin/tritonserver"), Found::Named)
            );
        }
        // If a path is given, no other place is searched.
        let path = at("nothing");
        assert_eq!(
            paths(Some("nothing")).locate(),
            Err(LocateError::Named { path })
        );
        for named in ["a/tritonserver", "closed"] {
            let path = put(&at("closed/bin"), 0o644);
            let path = match named {
                "closed" => path,
                _ => at(named),
            };
            assert_eq!(
                paths(Some(named)).locate(),
                Err(LocateError::NotExecutable { path })
            );
        }
    }

    #[test]
    fn cached_server_writable_by_others_is_not_run() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("pytriton/tritonserver/2.51.0");
        let binary = put(&root.join("bin"), 0o755);
        let library = root.join("lib/libtritonserver.so");
        let cache = root.join("caches/local/libtritoncache_local.so");
        let backend = root.join("backends/python/triton_python_backend_stub");
        for file in [&library, &cache, &backend] {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        let paths = SearchPaths {
            installed: vec![(Found::Cache, root.clone())],
            ..SearchPaths::default()
        };
        let mode = |path: &Path, mode| {
            let before = path.metadata().unwrap().permissions();
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
            before
        };
        assert!(paths.locate().is_ok());
        let changed = [
            home.path().join("pytriton"),
            home.path().join("pytriton/tritonserver"),
            root.clone(),
            root.join("bin"),
            root.join("lib"),
            root.join("caches"),
            root.join("caches/local"),
            root.join("backends"),
            root.join("backends/python"),
            binary.clone(),
            library,
            cache,
            backend,
        ];
        for path in changed {
            let before = mode(&path, 0o777);
            assert_eq!(
                paths.locate(),
                Err(LocateError::Untrusted { path: path.clone() })
            );
            fs::set_permissions(&path, before).unwrap();
        }
        assert!(paths.locate().is_ok());
        // A path that the user names or has in `PATH` is trusted.
        mode(&binary, 0o777);
        let named = SearchPaths {
            named: Some(binary),
            ..paths
        };
        assert!(named.locate().is_ok());
    }

    #[test]
    fn symbolic_link_is_resolved_to_the_server_folder() {
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
