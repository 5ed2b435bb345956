use std::env;
use std::time::Duration;

use pytriton_tests::Result;

use super::fault::{FAULTS, WITH_CANCELLED_CALLS};
use super::run::Run;
use crate::engine::workspaces;

/// The default of `PYTRITON_FAULTS_SECONDS`.
const SECONDS: u64 = 10;

fn time() -> Duration {
    let seconds = env::var("PYTRITON_FAULTS_SECONDS").ok();
    let seconds = seconds.and_then(|seconds| seconds.parse().ok());
    Duration::from_secs(seconds.unwrap_or(SECONDS))
}

#[test]
fn every_request_receives_a_correct_response_or_an_error() -> Result<()> {
    let home = tempfile::tempdir()?;
    let mut run = Run::start(home.path(), "all some narrow all", false)?;
    run.last(time(), &FAULTS)?;
    run.end()?;
    assert!(workspaces(home.path()).is_empty());
    Ok(())
}

/// Cancelled gRPC calls and killed clients may crash tritonserver 2.51.
#[test]
fn cancelled_calls_do_not_lose_other_responses() -> Result<()> {
    let home = tempfile::tempdir()?;
    let mut run = Run::start(home.path(), "all some narrow cancel", true)?;
    run.last(time(), &WITH_CANCELLED_CALLS)?;
    run.end()?;
    assert!(workspaces(home.path()).is_empty());
    Ok(())
}
