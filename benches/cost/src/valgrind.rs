use std::io::{self, ErrorKind};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::CostError;

/// Returns a valgrind command that writes its counts to a file. The caller adds the command to
/// measure.
pub(crate) fn command(counts: &Path) -> Command {
    let mut command = Command::new("valgrind");
    command
        .args(["--tool=callgrind", "--compress-strings=no"])
        .arg(format!("--callgrind-out-file={}", counts.display()))
        .stdin(Stdio::null());
    command
}

/// Converts the error of starting valgrind.
pub(crate) fn missing(error: io::Error) -> CostError {
    match error.kind() {
        ErrorKind::NotFound => CostError::Missing,
        _ => error.into(),
    }
}
