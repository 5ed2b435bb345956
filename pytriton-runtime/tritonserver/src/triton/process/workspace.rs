use std::fmt;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::{FlockOperation, StatVfsMountFlags, flock, statvfs};
use thiserror::Error;

/// The file in a workspace that its owner keeps locked.
const LOCK: &str = "lock";

/// The error for a folder from which no library can be loaded.
const NOEXEC: &str = "it is mounted noexec, so tritonserver cannot load libraries from it: set XDG_CACHE_HOME or TMPDIR to another folder";

/// A workspace cannot be created.
#[derive(Debug, Error)]
#[error("cannot create a workspace in {path}: {source}", path = path.display())]
pub struct WorkspaceError {
    /// The parent folder of all workspaces.
    pub path: PathBuf,
    /// The cause.
    #[source]
    pub source: io::Error,
}

/// A private folder of this process. It is removed on drop or, after `kill -9`, at the next start.
#[derive(Debug)]
pub struct Workspace {
    path: PathBuf,
    _lock: File,
}

impl Workspace {
    /// Creates a workspace in `parent`, and removes those whose owners are dead.
    ///
    /// # Errors
    ///
    /// Returns a [`WorkspaceError`] if the system refuses, if `parent` belongs to another user, or
    /// if `parent` is mounted `noexec`: tritonserver loads a library from it.
    pub fn create(parent: &Path) -> Result<Self, WorkspaceError> {
        Self::create_in(parent).map_err(|source| WorkspaceError {
            path: parent.to_owned(),
            source,
        })
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn create_in(parent: &Path) -> io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);

        private_folder(parent)?;
        if mounted_noexec(parent) {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, NOEXEC));
        }
        // Held while the new folder exists without its own lock.
        let _door = locked(&parent.join(LOCK), FlockOperation::LockExclusive)?;
        remove_stale(parent, Host::current());
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(format!("{}-{number}-{}", process::id(), Host::current()));
        DirBuilder::new().mode(0o700).create(&path)?;
        let lock = locked(&path.join(LOCK), FlockOperation::LockExclusive)?;
        Ok(Self { path, _lock: lock })
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.path) {
            tracing::warn!(path = %self.path.display(), %error, "cannot remove the workspace");
        }
    }
}

/// Creates a folder that only this user can write to, or checks that it is one.
fn private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    let metadata = fs::symlink_metadata(path)?;
    let ours = metadata.is_dir() && metadata.uid() == rustix::process::geteuid().as_raw();
    match ours && metadata.mode() & 0o022 == 0 {
        true => Ok(()),
        false => Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "other users can write to the folder",
        )),
    }
}

/// Returns whether the file system of a path is mounted `noexec`.
pub(in crate::triton) fn mounted_noexec(path: &Path) -> bool {
    statvfs(path).is_ok_and(|mount| mount.f_flag.contains(StatVfsMountFlags::NOEXEC))
}

fn locked(path: &Path, operation: FlockOperation) -> io::Result<File> {
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)?;
    flock(&file, operation)?;
    Ok(file)
}

/// The machine and the boot of the owner of a workspace. Short, because the path of a socket is
/// limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Host {
    name: u32,
    boot: u32,
}

impl Host {
    fn current() -> Self {
        let read = |name| fs::read(format!("/proc/sys/kernel/{name}")).unwrap_or_default();
        Self {
            name: hash(&read("hostname")),
            boot: hash(&read("random/boot_id")),
        }
    }

    /// Parses the host in the name of a workspace.
    fn of(workspace: &Path) -> Option<Self> {
        let name = workspace.file_name()?.to_str()?;
        let [_, _, host, boot] = name.split('-').collect::<Vec<_>>()[..] else {
            return None;
        };
        let number = |text| u32::from_str_radix(text, 16).ok();
        Some(Self {
            name: number(host)?,
            boot: number(boot)?,
        })
    }

    /// Returns whether this host sees the other's locks. Some file systems show only locks of the
    /// same kernel, so an unlocked file proves nothing. Workspaces of the same boot, or of this
    /// host before a reboot, can be checked.
    fn sees_locks_of(self, other: Self) -> bool {
        self.boot == other.boot || self.name == other.name
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:06x}-{:06x}", self.name, self.boot)
    }
}

/// FNV-1a, folded to 24 bits.
fn hash(bytes: &[u8]) -> u32 {
    let hash = bytes.iter().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
    });
    (hash >> 24) ^ (hash & 0x00ff_ffff)
}

fn remove_stale(parent: &Path, host: Host) {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    for path in entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .filter(|path| Host::of(path).is_some_and(|other| host.sees_locks_of(other)))
    {
        let abandoned = locked(&path.join(LOCK), FlockOperation::NonBlockingLockExclusive);
        // The next start tries again to remove what is left.
        if abandoned.is_ok() && fs::remove_dir_all(&path).is_ok() {
            tracing::debug!(path = %path.display(), "removed the workspace of a process that died");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_workspace_is_private_and_goes_with_its_owner() {
        let parent = tempfile::tempdir().unwrap();
        let parent = parent.path().join("pytriton/workspaces");
        let (one, two) = (
            Workspace::create(&parent).unwrap(),
            Workspace::create(&parent).unwrap(),
        );
        assert_ne!(one.path(), two.path());
        assert_eq!(
            fs::metadata(one.path()).unwrap().permissions().mode() & 0o777,
            0o700
        );
        fs::write(one.path().join("file"), "x").unwrap();
        let path = one.path().to_owned();
        drop(one);
        assert!(!path.exists() && two.path().exists());
    }

    #[test]
    fn files_of_a_dead_process_are_removed_at_the_next_start() {
        let parent = tempfile::tempdir().unwrap();
        let alive = Workspace::create(parent.path()).unwrap();
        let stale = parent.path().join(format!("1-0-{}", Host::current()));
        fs::create_dir_all(stale.join("models/A/1")).unwrap();
        File::create(stale.join(LOCK)).unwrap();
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("precious"), "x").unwrap();
        symlink(outside.path(), stale.join("link")).unwrap();
        let next = Workspace::create(parent.path()).unwrap();
        assert!(!stale.exists() && alive.path().exists() && next.path().exists());
        assert!(outside.path().join("precious").exists());
    }

    #[test]
    fn the_workspace_of_another_host_stays() {
        let parent = tempfile::tempdir().unwrap();
        let here = Host::current();
        let (name, boot) = (here.name ^ 1, here.boot ^ 1);
        // Its locks are not visible here, so it looks abandoned.
        let table = [
            (Host { name, boot }.to_string(), true),
            // Another container on this machine, and this one before a reboot.
            (Host { name, ..here }.to_string(), false),
            (Host { boot, ..here }.to_string(), false),
            ("of an unknown host".to_owned(), true),
        ];
        let path = |host: &String| parent.path().join(format!("1-0-{host}"));
        for (host, _) in &table {
            fs::create_dir(path(host)).unwrap();
            File::create(path(host).join(LOCK)).unwrap();
        }
        let _workspace = Workspace::create(parent.path()).unwrap();
        for (host, stays) in &table {
            assert_eq!(path(host).exists(), *stays, "{host}");
        }
    }

    #[test]
    fn a_folder_that_others_can_write_to_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        fs::set_permissions(parent.path(), fs::Permissions::from_mode(0o777)).unwrap();
        let error = Workspace::create(parent.path()).unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with("other users can write to the folder"),
            "{error}"
        );
    }
}
