use std::env;
use std::fs::{self, DirEntry, File};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

use super::Secret;
use super::token::generate;

const PREFIX: &str = "pytriton-access-token-";

/// The file of a generated token, which only this user can read. It is removed on drop or, after
/// `kill -9`, at the next start.
#[derive(Debug)]
pub(super) struct TempTokenFile {
    path: PathBuf,
    /// Locked while its owner lives.
    _file: File,
}

impl TempTokenFile {
    /// Writes the token into the user's runtime folder, or else into the folder for temporary
    /// files.
    pub(super) fn write(token: &Secret) -> io::Result<Self> {
        let runtime = env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
        Self::write_preferring(runtime, &env::temp_dir(), token)
    }

    fn write_preferring(
        runtime: Option<PathBuf>,
        temporary: &Path,
        token: &Secret,
    ) -> io::Result<Self> {
        let runtime = runtime.filter(|folder| folder.is_absolute());
        match runtime.map(|folder| Self::write_in(&folder, token)) {
            Some(Ok(file)) => Ok(file),
            _ => Self::write_in(temporary, token),
        }
    }

    fn write_in(folder: &Path, token: &Secret) -> io::Result<Self> {
        remove_stale(folder);
        let name = generate()?;
        let name = name.expose().get(..12).unwrap_or_default();
        let name = format!("{PREFIX}{name}");
        // Under this name the file is not mistaken for a stale one.
        let draft = folder.join(format!(".{name}"));
        let mut file = File::options()
            .create_new(true)
            .write(true)
            .mode(0o600)
            .open(&draft)?;
        let written = flock(&file, FlockOperation::NonBlockingLockExclusive)
            .map_err(io::Error::from)
            .and_then(|()| writeln!(file, "{}", token.expose()))
            .and_then(|()| fs::rename(&draft, folder.join(&name)));
        if let Err(error) = written {
            // The error is reported by the caller.
            let _ = fs::remove_file(&draft);
            return Err(error);
        }
        Ok(Self {
            path: folder.join(name),
            _file: file,
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for TempTokenFile {
    fn drop(&mut self) {
        // The file may already be removed.
        let _ = fs::remove_file(&self.path);
    }
}

/// Removes the files of dead processes of this user.
fn remove_stale(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let named = |entry: &DirEntry| {
        entry
            .file_name()
            .as_encoded_bytes()
            .starts_with(PREFIX.as_bytes())
    };
    for path in entries.filter(named).map(|entry| entry.path()) {
        let ours = fs::symlink_metadata(&path).is_ok_and(|metadata| {
            metadata.is_file() && metadata.uid() == rustix::process::geteuid().as_raw()
        });
        let Some(file) = ours.then(|| File::open(&path).ok()).flatten() else {
            continue;
        };
        if flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
            // The next start tries again to remove it.
            let _ = fs::remove_file(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_file_is_private_and_removed_on_drop() {
        let folder = tempfile::tempdir().unwrap();
        let stale = folder.path().join(format!("{PREFIX}old"));
        fs::write(&stale, "x").unwrap();
        let token = Secret::new("abc");
        let file = TempTokenFile::write_in(folder.path(), &token).unwrap();
        let second = TempTokenFile::write_in(folder.path(), &token).unwrap();
        assert!(!stale.exists());
        for file in [&file, &second] {
            assert_eq!(fs::read_to_string(file.path()).unwrap(), "abc\n");
            let mode = fs::metadata(file.path()).unwrap().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        drop((file, second));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(TempTokenFile::write_in(&folder.path().join("no"), &token).is_err());
    }

    #[test]
    fn the_user_s_runtime_folder_is_preferred_if_it_can_be_used() {
        let (runtime, temporary) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let missing = runtime.path().join("no");
        let table = [
            (Some(runtime.path()), runtime.path()),
            (Some(missing.as_path()), temporary.path()),
            (Some(Path::new(".")), temporary.path()),
            (None, temporary.path()),
        ];
        for (folder, expected) in table {
            let token = Secret::new("abc");
            let folder = folder.map(Path::to_owned);
            let file = TempTokenFile::write_preferring(folder, temporary.path(), &token);
            assert_eq!(file.unwrap().path().parent(), Some(expected));
        }
    }

    #[test]
    fn only_stale_files_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let (other, link) = (path("other"), path(&format!("{PREFIX}link")));
        fs::write(&other, "x").unwrap();
        std::os::unix::fs::symlink(&other, &link).unwrap();
        remove_stale(folder.path());
        assert!(link.is_symlink() && other.is_file());
    }
}
