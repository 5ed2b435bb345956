//! A program that is not a tritonserver, or that does not start.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use pytriton_tests::{Result, finish};

use crate::EXIT;
use crate::engine::{FREE_PORTS, command, installed, prepare, workspaces};

/// The time limit for a start, including a start of tritonserver for its help: one second, plus a
/// margin for a busy machine.
const START_LIMIT: Duration = Duration::from_secs(4);

const IDENTITY: &str = env!("CARGO_BIN_EXE_example_identity");

pub(crate) fn program(folder: &Path, mode: u32, text: &str) -> Result<String> {
    let path = folder.join("tritonserver");
    fs::write(&path, text)?;
    fs::set_permissions(&path, fs::Permissions::from_mode(mode))?;
    Ok(path.to_string_lossy().into_owned())
}

/// Returns a script with the help of a real server, which then does something else.
pub(crate) fn impostor(then: &str) -> Result<String> {
    let real = installed()?;
    Ok(format!(
        "#!/bin/sh\n[ \"$1\" = --help ] && exec '{real}/bin/tritonserver' --help\n{then}\n"
    ))
}

#[test]
fn cause_of_a_failed_start_is_reported_promptly() -> Result<()> {
    let table = [
        (
            0o755,
            impostor("echo I am; echo 'error: no space' >&2; exit 7")?,
            "error: tritonserver exited with code 7\n  error: no space",
        ),
        (
            0o755,
            impostor("kill -SEGV $$")?,
            "error: tritonserver was killed by signal 11 (SIGSEGV)",
        ),
        (
            0o644,
            "#!/bin/sh\n".to_owned(),
            "cannot be run: it is not executable (option --tritonserver)",
        ),
        (
            0o755,
            "\u{7f}ELF for another machine".to_owned(),
            "cannot be run: it is a program for another processor",
        ),
        (
            0o755,
            "version https://git-lfs.github.com/spec/v1\n".to_owned(),
            "cannot be run: it is not a program",
        ),
        (
            0o755,
            "#!/no/such/interpreter\n".to_owned(),
            "No such file or directory",
        ),
        (0o755, "#!/bin/sh\n".to_owned(), "is not a tritonserver"),
    ];
    for (mode, text, expected) in table {
        let home = tempfile::tempdir()?;
        let binary = program(home.path(), mode, &text)?;
        let begun = Instant::now();
        let refused = finish(
            command(home.path(), &[])?.env("PYTRITON_TRITONSERVER", &binary),
            EXIT,
        )?;
        let took = begun.elapsed();
        assert_eq!(refused.status.code(), Some(1), "{}", refused.stderr);
        assert!(refused.stderr.contains(expected), "{}", refused.stderr);
        assert!(took < START_LIMIT, "{expected}: {took:?}");
        assert!(workspaces(home.path()).is_empty());
    }
    Ok(())
}

#[test]
fn too_few_descriptors_are_reported_promptly() -> Result<()> {
    // Only tritonserver knows the requirements of its options or of a later version, and it does
    // not always exit.
    let complains = impostor(
        "echo '[warn] Error from accept() call: Too many open files' >&2; exec sleep 300",
    )?;
    let table = [
        (
            crate::MODELS,
            64,
            "",
            "the limit of 64 open files is too low: ",
        ),
        (IDENTITY, 24, "", "the limit of 24 open files is too low: "),
        (IDENTITY, 64, "", "the limit of 64 open files is too low: "),
        (
            IDENTITY,
            256,
            &complains,
            "the limit of 256 open files is too low for tritonserver",
        ),
    ];
    for (binary, limit, other, expected) in table {
        let home = tempfile::tempdir()?;
        let ports = FREE_PORTS.join(" ");
        let serve = format!("ulimit -n {limit} && exec '{binary}' {ports}");
        let mut command = Command::new("sh");
        command.args(["-c", &serve]);
        prepare(&mut command, home.path())?;
        if !other.is_empty() {
            let binary = program(home.path(), 0o755, other)?;
            command.env("PYTRITON_TRITONSERVER", binary);
        }
        let begun = Instant::now();
        let refused = finish(&mut command, EXIT)?;
        let took = begun.elapsed();
        let log = refused.stderr;
        assert_eq!(refused.status.code(), Some(1), "{log}");
        let last = log.lines().last().unwrap_or_default();
        assert!(last.starts_with(&format!("error: {expected}")), "{log}");
        assert!(last.contains("(`ulimit -n`;"), "{log}");
        assert!(took < START_LIMIT, "{limit}: {took:?}");
        assert!(workspaces(home.path()).is_empty());
    }
    Ok(())
}

/// tritonserver would report a port that is in use.
#[test]
fn missing_certificate_is_reported_before_tritonserver_is_started() -> Result<()> {
    let home = tempfile::tempdir()?;
    let arguments = [
        "--grpc-use-ssl=true",
        "--grpc-server-cert=/nonexistent/cert.pem",
        "--grpc-server-key=/nonexistent/key.pem",
        "--log-verbose=1",
    ];
    let refused = finish(&mut command(home.path(), &arguments)?, EXIT)?;
    let log = refused.stderr;
    assert_eq!(refused.status.code(), Some(1), "{log}");
    assert!(log.contains("/nonexistent/cert.pem"), "{log}");
    assert!(!log.contains("starting tritonserver"), "{log}");
    assert!(workspaces(home.path()).is_empty());
    Ok(())
}

#[test]
fn port_in_use_is_reported_promptly() -> Result<()> {
    let taken = TcpListener::bind("127.0.0.1:0")?;
    let address = taken.local_addr()?;
    for endpoint in ["http", "grpc", "metrics"] {
        let home = tempfile::tempdir()?;
        let mut command = Command::new(crate::MODELS);
        prepare(&mut command, home.path())?;
        for other in ["http", "grpc", "metrics"] {
            let port = if other == endpoint { address.port() } else { 0 };
            command.arg(format!("--{other}-port={port}"));
        }
        let begun = Instant::now();
        let refused = finish(&mut command, EXIT)?;
        let took = begun.elapsed();
        assert_eq!(refused.status.code(), Some(1));
        let expected = format!(
            "error: cannot listen on {address} for {endpoint} (option --{endpoint}-port): "
        );
        assert!(refused.stderr.contains(&expected), "{}", refused.stderr);
        assert!(took < START_LIMIT, "{endpoint}: {took:?}");
        assert!(workspaces(home.path()).is_empty());
    }
    Ok(())
}

#[test]
fn unusable_socket_folder_is_reported_with_the_cause() -> Result<()> {
    let home = tempfile::tempdir()?;
    // The path of a Unix socket has at most 108 bytes.
    let deep = home.path().join("x".repeat(120));
    fs::create_dir(&deep)?;
    let refused = finish(command(&deep, &[])?.env("TMPDIR", &deep), EXIT)?;
    let log = refused.stderr;
    assert_eq!(refused.status.code(), Some(1), "{log}");
    let (_, cause) = log
        .split_once("error: cannot listen on '")
        .unwrap_or_default();
    assert!(cause.starts_with(&*deep.to_string_lossy()), "{log}");
    assert!(
        cause.contains("/worker.sock': path must be shorter than "),
        "{log}"
    );
    Ok(())
}
