use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{CostError, Result};

const SOURCE: &str = include_str!("clock.c");

/// Builds the library with the coarser clock in a directory.
pub(crate) fn build(folder: &Path) -> Result<PathBuf> {
    let (source, library) = (folder.join("clock.c"), folder.join("clock.so"));
    fs::write(&source, SOURCE)?;
    let mut compiler = Command::new("cc");
    let compiler = compiler.args(["-O2", "-shared", "-fPIC", "-o"]);
    let output = compiler.arg(&library).arg(&source).output();
    let output = output.map_err(|_| CostError::Compiler("there is no `cc`".to_owned()))?;
    match output.status.success() {
        true => Ok(library),
        false => Err(CostError::Compiler(
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )),
    }
}
