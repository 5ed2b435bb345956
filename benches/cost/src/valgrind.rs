use std::io::{self, ErrorKind};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::CostError;

/// Valgrind, which writes into a file what the command that is its arguments does.
pub(crate) fn command(counts: &Path) -> Command {
    let mut command = Command::new("valgrind");
    command
        .args(["--tool=callgrind", "--compress-strings=no"])
        .arg(format!("--callgrind-out-file={}", counts.display()))
        .stdin(Stdio::null());
    command
}

/// Why it was not started.
pub(crate) fn missing(error: io::Error) -> CostError {
    match error.kind() {
        ErrorKind::NotFound => CostError::Missing,
        _ => error.into(),
    }
}
