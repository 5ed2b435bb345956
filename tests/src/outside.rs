use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::cargo::cargo;
use crate::{Finished, Result, finish};

/// A clean build takes a minute on two cores, later ones a few seconds.
const BUILD: Duration = Duration::from_secs(600);

/// A crate outside of the workspace that depends on `pytriton` with only the feature `client`. It
/// uses the dependency versions of the workspace, so nothing is downloaded.
#[derive(Debug)]
pub struct Outside {
    name: String,
    home: PathBuf,
    target: PathBuf,
}

impl Outside {
    /// Creates a crate without a program in cargo's directory for tests. The same name always gives
    /// the same crate, so that cargo reuses its builds.
    ///
    /// # Errors
    ///
    /// Returns an error if its files cannot be written.
    pub fn new(folder: &Path, name: &str) -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("");
        let home = folder.join(name);
        fs::create_dir_all(home.join("src"))?;
        let manifest = format!(
            r#"[package]
name = {name:?}
version = "0.1.0"
edition = "2024"

[dependencies]
pytriton = {{ path = {:?}, default-features = false, features = ["client"] }}

[profile.dev]
debug = "line-tables-only"

[workspace]
"#,
            root.join("pytriton"),
        );
        fs::write(home.join("Cargo.toml"), manifest)?;
        fs::copy(root.join("Cargo.lock"), home.join("Cargo.lock"))?;
        Ok(Self {
            name: name.to_owned(),
            home,
            // The target directory of the workspace, without the directory for tests.
            target: folder.with_file_name(""),
        })
    }

    /// Returns the directory of its manifest.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Builds its program, and returns the output of cargo.
    ///
    /// # Errors
    ///
    /// Returns [`HarnessError::Deadline`](crate::HarnessError::Deadline). A compile error is not an
    /// error.
    pub fn build(&self) -> Result<Finished> {
        let mut build = cargo();
        build
            .args(["build", "--offline", "--quiet", "--target-dir"])
            .arg(&self.target)
            .current_dir(&self.home);
        finish(&mut build, BUILD)
    }

    /// Returns the path of its program after a build.
    pub fn program(&self) -> PathBuf {
        self.target.join("debug").join(&self.name)
    }
}
