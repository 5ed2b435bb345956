use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::cargo::cargo;
use crate::{Result, finish};

/// A build from nothing takes some three minutes on two cores, later ones less than one.
const BUILD: Duration = Duration::from_secs(900);

/// The package whose binaries have the embedded engine alone where that is said.
const PACKAGE: &str = "pytriton-test-engines";

/// Builds a binary with the embedded engine alone as it is released, below the folder that cargo has for tests.
///
/// # Errors
///
/// [`HarnessError::Failed`](crate::HarnessError::Failed) with what cargo said.
pub fn released(binary: &str, folder: &Path) -> Result<PathBuf> {
    let options = ["--no-default-features", "--features", "embedded"];
    build(PACKAGE, binary, &options, folder)
}

/// Builds the program that asks a server with the clients, as it is released.
///
/// # Errors
///
/// As [`released`].
pub fn released_client(folder: &Path) -> Result<PathBuf> {
    build("asking", "asking", &[], folder)
}

fn build(package: &str, binary: &str, options: &[&str], folder: &Path) -> Result<PathBuf> {
    let target = folder.with_file_name("");
    let mut build = cargo();
    build
        .args(["build", "--release", "--package", package, "--bin", binary])
        .args(options)
        .arg("--target-dir")
        .arg(&target)
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    finish(&mut build, BUILD)?.success("cargo build")?;
    Ok(target.join("release").join(binary))
}
