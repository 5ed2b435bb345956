use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::cargo::cargo;
use crate::{Result, finish};

/// A build from nothing takes some three minutes on two cores, later ones less than one.
const BUILD: Duration = Duration::from_secs(900);

/// The features of the servers: the embedded engine alone.
const FEATURES: [&str; 3] = [
    "--no-default-features",
    "--features",
    "pytriton-test-engines/embedded",
];

/// All that is measured, with the packages they are of: what they share is built once if they are built together.
const BINARIES: [&str; 10] = [
    "--package",
    "pytriton-test-engines",
    "--bin",
    "embedded_identity",
    "--bin",
    "embedded_models",
    "--package",
    "asking",
    "--bin",
    "asking",
];

/// Builds what is measured as it is released, below the folder that cargo has for tests: servers, and the program that asks one with
/// the clients. Where the one of this name is.
///
/// # Errors
///
/// [`HarnessError::Failed`](crate::HarnessError::Failed) with what cargo said.
pub fn released(binary: &str, folder: &Path) -> Result<PathBuf> {
    let target = folder.with_file_name("");
    let mut build = cargo();
    build
        .args(["build", "--release"])
        .args(BINARIES)
        .args(FEATURES)
        .arg("--target-dir")
        .arg(&target)
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    finish(&mut build, BUILD)?.success("cargo build")?;
    Ok(target.join("release").join(binary))
}
