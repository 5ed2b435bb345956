use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::cargo::cargo;
use crate::{Result, finish};

/// A clean build takes about three minutes on two cores, later ones less than one.
const BUILD: Duration = Duration::from_secs(900);

/// The features of the servers: only the embedded engine.
const FEATURES: [&str; 3] = [
    "--no-default-features",
    "--features",
    "pytriton-test-engines/embedded",
];

/// All measured binaries with their packages. Building them together builds shared dependencies
/// once.
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

/// Makes a release build of the measured binaries in cargo's directory for tests: servers, and the
/// program that calls one with the clients. Returns the path of the requested binary.
///
/// # Errors
///
/// Returns [`HarnessError::Failed`](crate::HarnessError::Failed) with the output of cargo.
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
