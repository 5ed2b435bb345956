use std::path::{Path, PathBuf};
use std::process::Command;

use pytriton_tests::Result;

/// Compiles the C file of that name next to these tests to a library for `LD_PRELOAD`.
pub(crate) fn preload(folder: &Path, name: &str) -> Result<PathBuf> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults");
    let library = folder.join(name).with_extension("so");
    let compiled = Command::new("cc")
        .args(["-Wall", "-Werror", "-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(sources.join(name).with_extension("c"))
        .status()?;
    assert!(compiled.success());
    Ok(library)
}
