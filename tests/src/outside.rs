use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::cargo::cargo;
use crate::{Finished, Result, finish};

/// A clean build takes a minute on two cores, later ones a few seconds.
const BUILD: Duration = Duration::from_secs(600);

/// A crate outside of the workspace that depends on `pytriton`. It uses the dependency versions of
/// the workspace, so nothing is downloaded.
#[derive(Debug)]
pub struct Outside {
    name: String,
    home: PathBuf,
    target: PathBuf,
}

impl Outside {
    /// Creates a crate with only the feature `client`, and without a program, in cargo's directory
    /// for tests. The same name always gives the same crate, so that cargo reuses its builds.
    ///
    /// # Errors
    ///
    /// Returns an error if its files cannot be written.
    pub fn new(folder: &Path, name: &str) -> Result<Self> {
        let (root, home) = (root(), folder.join(name));
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
        Self::in_folder(folder, name)
    }

    /// Creates a crate from `templates/model` as cargo-generate does, except that it depends on the
    /// workspace instead of a Git repository.
    ///
    /// # Errors
    ///
    /// Returns an error if its files cannot be written.
    pub fn from_template(folder: &Path, name: &str) -> Result<Self> {
        let template = root().join("templates/model");
        instantiate(&template, &folder.join(name), &|text| {
            let path = format!("path = {:?}", root().join("pytriton"));
            text.replace(r#"git = "{{pytriton}}""#, &path)
                .replace("{{project-name}}", name)
        })?;
        let manifest = folder.join(name).join("Cargo.toml");
        let text = fs::read_to_string(&manifest)?;
        fs::write(&manifest, format!("{text}\n[workspace]\n"))?;
        Self::in_folder(folder, name)
    }

    fn in_folder(folder: &Path, name: &str) -> Result<Self> {
        let home = folder.join(name);
        fs::copy(root().join("Cargo.lock"), home.join("Cargo.lock"))?;
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
        self.cargo("build")
    }

    /// Runs a command of cargo that builds, and returns its output.
    ///
    /// # Errors
    ///
    /// Returns [`HarnessError::Deadline`](crate::HarnessError::Deadline).
    pub fn cargo(&self, command: &str) -> Result<Finished> {
        let mut build = cargo();
        build
            .args([command, "--offline", "--quiet", "--target-dir"])
            .arg(&self.target)
            .current_dir(&self.home);
        finish(&mut build, BUILD)
    }

    /// Returns the path of its program after a build.
    pub fn program(&self) -> PathBuf {
        self.target.join("debug").join(&self.name)
    }
}

/// Returns the directory of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("")
}

/// Copies a template. `fill` replaces the placeholders of a text.
fn instantiate(template: &Path, home: &Path, fill: &dyn Fn(&str) -> String) -> Result<()> {
    fs::create_dir_all(home)?;
    for entry in fs::read_dir(template)? {
        let source = entry?.path();
        let name = source.file_name().unwrap_or_default().to_string_lossy();
        let target = home.join(name.trim_end_matches(".liquid"));
        if source.is_dir() {
            instantiate(&source, &target, fill)?;
        } else if name != "cargo-generate.toml" {
            fs::write(target, fill(&fs::read_to_string(&source)?))?;
        }
    }
    Ok(())
}
