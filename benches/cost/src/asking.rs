use std::ffi::OsStr;
use std::fs;

use tempfile::TempDir;

use crate::counts::Counts;
use crate::{CostError, Result, clock, valgrind};

/// Runs a client that sends a number of requests, and returns the counts.
pub(crate) fn run(command: &[impl AsRef<OsStr>], requests: u32) -> Result<Counts> {
    let folder = TempDir::new()?;
    let counts = folder.path().join("counts");
    let mut client = valgrind::command(&counts);
    client
        .args(command)
        .args(["--requests", &requests.to_string()])
        .env("LD_PRELOAD", clock::build(folder.path())?);
    let output = client.output().map_err(valgrind::missing)?;
    match output.status.success() {
        true => Counts::parse(&fs::read_to_string(counts)?),
        false => Err(CostError::Client(
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )),
    }
}
