use std::path::PathBuf;
use std::{env, fs};

use pytriton_signature::LockFile;

/// A lock file and its path.
pub(super) struct File {
    pub(super) path: PathBuf,
    pub(super) lock: LockFile,
}

impl File {
    /// Reads a file relative to the manifest of the crate that is being built.
    pub(super) fn read(name: &str) -> Result<Self, String> {
        let folder = env::var_os("CARGO_MANIFEST_DIR").map_or_else(PathBuf::new, PathBuf::from);
        let path = folder.join(name);
        let advice = "write it with `<binary> list --format json`";
        let text = fs::read_to_string(&path).map_err(|error| {
            format!("cannot read `{name}` next to Cargo.toml: {error}; {advice}")
        })?;
        let lock = LockFile::parse(&text).map_err(|error| format!("`{name}`, {error}"))?;
        match lock.models.is_empty() {
            true => Err(format!("`{name}` has no models: {advice}")),
            false => Ok(Self { path, lock }),
        }
    }
}
