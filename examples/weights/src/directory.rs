use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::WeightsError;

/// Returns the user's cache directory.
pub(crate) fn cache() -> Result<PathBuf, WeightsError> {
    let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = || env::home_dir().map(|home| home.join(".cache"));
    let cache = cache.filter(|cache| cache.is_absolute()).or_else(home);
    cache.ok_or(WeightsError::NoCache)
}

/// Returns the directory of weights in a cache.
pub(crate) fn weights(cache: &Path) -> PathBuf {
    cache.join("pytriton/weights")
}

/// Returns the directory `name` in `parent`. If it does not exist, it is created by `make` in a
/// new, empty directory.
pub(crate) fn create_once(
    parent: &Path,
    name: &str,
    make: impl FnOnce(&Path) -> Result<PathBuf, WeightsError>,
) -> Result<PathBuf, WeightsError> {
    let folder = parent.join(name);
    if folder.is_dir() {
        return Ok(folder);
    }
    fs::create_dir_all(parent).map_err(WeightsError::at(parent))?;
    let _lock = lock(&parent.join(".lock"))?;
    // Another process may have created it while this one waited for the lock.
    if !folder.is_dir() {
        let draft = Draft::new(parent.join(".draft"))?;
        let tree = make(&draft.0)?;
        fs::rename(tree, &folder).map_err(WeightsError::at(&folder))?;
    }
    Ok(folder)
}

fn lock(path: &Path) -> Result<File, WeightsError> {
    let file = File::create(path).map_err(WeightsError::at(path))?;
    file.lock().map_err(WeightsError::at(path))?;
    Ok(file)
}

/// A directory that is removed when it is dropped, on success and on failure.
struct Draft(PathBuf);

impl Draft {
    /// Creates a draft, and removes one that a killed process left behind.
    fn new(path: PathBuf) -> Result<Self, WeightsError> {
        drop(Self(path.clone()));
        fs::create_dir(&path).map_err(WeightsError::at(&path))?;
        Ok(Self(path))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // If something remains, the next `fs::create_dir` reports it.
        let _ = fs::remove_dir_all(&self.0);
    }
}
