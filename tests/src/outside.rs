use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::cargo::cargo;
use crate::{Finished, Result, finish};

/// A build from nothing takes a minute on two cores, later ones some seconds.
const BUILD: Duration = Duration::from_secs(600);

/// A crate outside of the workspace, which has of `pytriton` the feature `client` alone. Its versions are those of the workspace:
/// nothing is downloaded.
#[derive(Debug)]
pub struct Outside {
    name: String,
    home: PathBuf,
    target: PathBuf,
}

impl Outside {
    /// A crate without a program, below the folder that cargo has for tests. Under one name it is always the same, of which cargo
    /// knows what it has built.
    ///
    /// # Errors
    ///
    /// What the operating system says of its files.
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
            // That of the workspace, without the folder for tests.
            target: folder.with_file_name(""),
        })
    }

    /// Where its manifest is.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Builds its program, and returns what cargo said.
    ///
    /// # Errors
    ///
    /// [`HarnessError::Deadline`](crate::HarnessError::Deadline); that it does not compile is none.
    pub fn build(&self) -> Result<Finished> {
        let mut build = cargo();
        build
            .args(["build", "--offline", "--quiet", "--target-dir"])
            .arg(&self.target)
            .current_dir(&self.home);
        finish(&mut build, BUILD)
    }

    /// Its program, once it is built.
    pub fn program(&self) -> PathBuf {
        self.target.join("debug").join(&self.name)
    }
}
