//! Three servers behind a proxy, as `deploy/` configures it.

use std::path::Path;

use pytriton_tests::{Python, Result, finish};

use crate::command_line::DEADLINE;
use crate::{MODELS, folder, python};

/// Stops and kills servers behind a proxy with these arguments and its file in `deploy/`.
fn balanced(proxy: &Path, arguments: &[&str], file: &str) -> Result<()> {
    let configuration = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy")).join(file);
    let mut command = python()?.command_by("unshare", &["--map-root-user", "--net"]);
    command
        .args(["balanced.py", MODELS])
        .arg(proxy)
        .args(arguments)
        .arg(configuration)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/python"));
    finish(&mut command, 6 * DEADLINE)?.success("balanced.py")?;
    Ok(())
}

#[test]
fn rolling_restart_behind_envoy_loses_no_request() -> Result<()> {
    let envoy = Python::envoy(folder())?;
    let arguments = ["--use-dynamic-base-id", "-l", "error", "-c"];
    balanced(&envoy, &arguments, "envoy/envoy.yaml")
}

#[test]
#[ignore = "needs HAProxy of Debian: a command of its own, which `.ci/run` has"]
fn rolling_restart_behind_haproxy_loses_no_request() -> Result<()> {
    let arguments = ["-db", "-f"];
    balanced(
        "/usr/sbin/haproxy".as_ref(),
        &arguments,
        "haproxy/haproxy.cfg",
    )
}
