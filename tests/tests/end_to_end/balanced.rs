//! Three servers behind a proxy, as `deploy/` configures it.

use std::path::Path;
use std::process::Command;

use pytriton_tests::{Python, Result, finish};

use crate::command_line::DEADLINE;
use crate::{MODELS, folder, python};

/// Stops and kills servers behind a proxy that is started with these arguments and its file in `deploy/`.
fn balanced(proxy: &Path, arguments: &[&str], file: &str) -> Result<()> {
    let interpreter = python()?.command().get_program().to_owned();
    let configuration = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy")).join(file);
    let mut command = Command::new("unshare");
    command
        .args(["--map-root-user", "--net"])
        .arg(interpreter)
        .args(["balanced.py", MODELS])
        .arg(proxy)
        .args(arguments)
        .arg(configuration)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/python"));
    finish(&mut command, 6 * DEADLINE)?.success("balanced.py")?;
    Ok(())
}

#[test]
fn a_rolling_restart_behind_envoy_loses_nothing() -> Result<()> {
    let envoy = Python::envoy(folder())?;
    let arguments = ["--use-dynamic-base-id", "-l", "error", "-c"];
    balanced(&envoy, &arguments, "envoy/envoy.yaml")
}

#[test]
#[ignore = "needs HAProxy of Debian: a command of its own, which `.ci/run` has"]
fn a_rolling_restart_behind_haproxy_loses_nothing() -> Result<()> {
    let arguments = ["-db", "-f"];
    balanced(
        "/usr/sbin/haproxy".as_ref(),
        &arguments,
        "haproxy/haproxy.cfg",
    )
}
