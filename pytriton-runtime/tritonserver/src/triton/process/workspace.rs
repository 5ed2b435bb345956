use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::{FlockOperation, FsWord, StatVfsMountFlags, flock, statfs, statvfs};
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
        Self::create_in(parent, current_boot()).map_err(|source| WorkspaceError {
            path: parent.to_owned(),
            source,
        })
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn create_in(parent: &Path, boot: Option<u64>) -> io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);

        private_folder(parent)?;
        if mounted_noexec(parent) {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, NOEXEC));
        }
        // Held while the new folder exists without its own lock.
        let _parent_lock = locked(&parent.join(LOCK), FlockOperation::LockExclusive)?;
        if let Some(boot) = boot {
            remove_stale(parent, boot, is_local(parent));
        }
        // Without the boot no process can know whether the owner is alive, so none removes it.
        let boot = boot.map(|boot| format!("-{boot:012x}")).unwrap_or_default();
        let path = loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = parent.join(format!("{}-{number}{boot}", process::id()));
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => break path,
                // A process of another container has the same id.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        };
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

/// File systems that only one kernel writes to. Other file systems may be shared by hosts that do
/// not see each other's locks.
const LOCAL: [FsWord; 7] = [
    0xef53,      // ext2, ext3, ext4
    0x5846_5342, // xfs
    0x9123_683e, // btrfs
    0x2fc1_2fc1, // zfs
    0xf2f5_2010, // f2fs
    0x0102_1994, // tmpfs
    0x794c_7630, // overlayfs
];

/// Returns whether only this kernel writes to the file system of a path.
fn is_local(path: &Path) -> bool {
    statfs(path).is_ok_and(|system| LOCAL.contains(&system.f_type))
}

/// Returns a number of 48 bits for the running kernel, which differs between hosts and after a
/// reboot. Short, because the path of a socket is limited. Returns `None` if the kernel does not
/// report its boot.
fn current_boot() -> Option<u64> {
    let id = fs::read("/proc/sys/kernel/random/boot_id");
    let id = id.ok().filter(|id| !id.is_empty())?;
    // FNV-1a, folded.
    let hash = id.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    Some((hash >> 48) ^ (hash & 0xffff_ffff_ffff))
}

/// Parses the boot in the name of a workspace.
fn boot_of(workspace: &Path) -> Option<u64> {
    let name = workspace.file_name()?.to_str()?;
    let [_, _, boot] = name.split('-').collect::<Vec<_>>()[..] else {
        return None;
    };
    u64::from_str_radix(boot, 16).ok()
}

/// Removes workspaces that are not locked. On a shared file system, an unlocked file proves nothing
/// unless its owner ran on the same kernel, and host names prove nothing at all: containers on
/// different hosts may have the same one.
fn remove_stale(parent: &Path, boot: u64, local: bool) {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    for path in entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .filter(|path| boot_of(path).is_some_and(|other| local || other == boot))
    {
        let abandoned = locked(&path.join(LOCK), FlockOperation::NonBlockingLockExclusive);
        // The next start tries again to remove what is left.
        if abandoned.is_ok() && fs::remove_dir_all(&path).is_ok() {
            tracing::debug!(path = %path.display(), "removed the workspace of a process that no longer exists");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn workspace_is_private_and_removed_on_drop() {
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
        let stale = parent
            .path()
            .join(format!("1-0-{:012x}", current_boot().unwrap()));
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
    fn workspace_of_another_host_is_kept() {
        let boot = current_boot().unwrap();
        for (local, owner, stays) in [
            // Its locks are not visible here, so it looks abandoned.
            (false, format!("{:012x}", boot ^ 1), true),
            (false, format!("{boot:012x}"), false),
            // This host before a reboot.
            (true, format!("{:012x}", boot ^ 1), false),
            (true, "of an unknown host".to_owned(), true),
        ] {
            let parent = tempfile::tempdir().unwrap();
            let path = parent.path().join(format!("1-0-{owner}"));
            fs::create_dir(&path).unwrap();
            File::create(path.join(LOCK)).unwrap();
            remove_stale(parent.path(), boot, local);
            assert_eq!(path.exists(), stays, "{local} {owner}");
        }
    }

    #[test]
    fn without_a_known_boot_no_workspace_is_removed() {
        let parent = tempfile::tempdir().unwrap();
        let names = [
            format!("1-0-{:012x}", current_boot().unwrap()),
            "1-0".into(),
        ];
        let others = names.map(|name| parent.path().join(name));
        for other in &others {
            fs::create_dir(other).unwrap();
            File::create(other.join(LOCK)).unwrap();
        }
        let workspace = Workspace::create_in(parent.path(), None).unwrap();
        assert!(workspace.path().exists() && others.iter().all(|other| other.exists()));
        assert_eq!(boot_of(workspace.path()), None);
        // Another process, which knows its boot, keeps those of an unknown one.
        drop(Workspace::create(parent.path()).unwrap());
        assert!(workspace.path().exists() && others[1].exists() && !others[0].exists());
    }

    #[test]
    fn processes_of_two_containers_with_one_id_have_two_workspaces() {
        let parent = tempfile::tempdir().unwrap();
        let (id, boot) = (process::id(), current_boot().unwrap());
        let others: Vec<_> = (0..100)
            .map(|number| {
                let path = parent.path().join(format!("{id}-{number}-{boot:012x}"));
                fs::create_dir(&path).unwrap();
                locked(&path.join(LOCK), FlockOperation::LockExclusive).unwrap()
            })
            .collect();
        let workspace = Workspace::create(parent.path()).unwrap();
        assert!(workspace.path().exists());
        assert_eq!(others.len(), 100);
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
