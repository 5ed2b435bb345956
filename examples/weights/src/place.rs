use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::WeightsError;

/// The user's cache.
pub(crate) fn cache() -> Result<PathBuf, WeightsError> {
    let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = || env::home_dir().map(|home| home.join(".cache"));
    let cache = cache.filter(|cache| cache.is_absolute()).or_else(home);
    cache.ok_or(WeightsError::NoCache)
}

/// Where weights are in a cache.
pub(crate) fn weights(cache: &Path) -> PathBuf {
    cache.join("pytriton/weights")
}

/// The folder of that name among others; where it is not there it is that which is made in a new, empty folder.
pub(crate) fn kept(
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
    // Somebody else may have had the lock, for the same reason.
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

/// A folder that goes when the work in it is over, well or not.
struct Draft(PathBuf);

impl Draft {
    /// A new one, in place of that which a killed process left.
    fn new(path: PathBuf) -> Result<Self, WeightsError> {
        drop(Self(path.clone()));
        fs::create_dir(&path).map_err(WeightsError::at(&path))?;
        Ok(Self(path))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // What is still there is in the way of the next one, which says so.
        let _ = fs::remove_dir_all(&self.0);
    }
}
