//! The configuration file, and the precedence of options.

use std::fs;
use std::net::TcpListener;
use std::process::Command;

use pytriton_tests::{Finished, Result, Server, finish};

use crate::MODELS;
use crate::command_line::DEADLINE;

/// Returns a command, and a file for `--config`.
fn command(text: &str) -> Result<(Command, tempfile::TempDir, String)> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("pytriton.toml");
    fs::write(&path, text)?;
    let path = path.display().to_string();
    let mut command = Command::new(MODELS);
    command
        .env("PYTRITON_ENGINE", "embedded")
        .env_remove("PORT");
    Ok((command, folder, path))
}

fn run(mut command: Command) -> Result<Finished> {
    finish(&mut command, DEADLINE)
}

const FREE: &str =
    "http-port = 0\nmetrics-port = 0\n[grpc]\nport = 0\n[log]\nformat = \"json\"\nverbose = 1\n";

#[test]
fn configuration_file_is_applied() -> Result<()> {
    for by_variable in [false, true] {
        let (mut command, _folder, path) = command(FREE)?;
        match by_variable {
            true => command.env("PYTRITON_CONFIG", &path),
            false => command.args(["serve", "--config", &path]),
        };
        let server = Server::spawn(&mut command)?;
        server.signal("TERM")?;
        let (_, log) = server.wait(DEADLINE)?;
        assert!(log.contains("stopping"), "{log}");
        assert!(log.lines().all(|line| line.starts_with('{')), "{log}");
    }
    Ok(())
}

#[test]
fn unknown_variables_are_reported_with_the_nearest_name() -> Result<()> {
    let (mut command, _folder, path) = command(FREE)?;
    command
        .env("PYTRITON_CONFIG", &path)
        .env("PYTRITON_TRITON_CONFIG_HTTP_PROT", "1");
    let server = Server::spawn(&mut command)?;
    server.signal("TERM")?;
    let (_, log) = server.wait(DEADLINE)?;
    let expected = "environment variable PYTRITON_TRITON_CONFIG_HTTP_PROT has no effect, because no option has this name: did you mean PYTRITON_TRITON_CONFIG_HTTP_PORT?";
    assert_eq!(log.matches("has no effect").count(), 1, "{log}");
    assert!(log.contains(expected), "{log}");
    Ok(())
}

#[test]
fn check_shows_option_values_and_their_sources() -> Result<()> {
    let text = "grpc-port = 0\nmetrics-port = 7\nexit-timeout-secs = 3\ncache-config = [\"local,size=2048\"]\n[log]\nverbose = 1\n";
    let (mut command, _folder, path) = command(text)?;
    command
        .args(["check", "--metrics-port=0", "--config", &path])
        .env("PYTRITON_TRITON_CONFIG_LOG_VERBOSE", "0")
        .env("PYTRITON_TRITON_CONFIG_CACHE_CONFIG_0", "local,size=4096")
        .env("PORT", "0");
    let output = run(command)?.success("check")?;
    let rows: Vec<Vec<&str>> = output
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    let (second, third) = (format!("{path}:1"), format!("{path}:3"));
    for row in [
        &["--http-port", "0", "environment", "PORT"][..],
        &["--grpc-port", "0", &second],
        &["--metrics-port", "0", "flag"],
        &["--exit-timeout-secs", "3", &third],
        &[
            "--log-verbose",
            "0",
            "environment",
            "PYTRITON_TRITON_CONFIG_LOG_VERBOSE",
        ],
        &[
            "--cache-config",
            "local,size=4096",
            "environment",
            "PYTRITON_TRITON_CONFIG_CACHE_CONFIG_0",
        ],
        &["--allow-http", "true", "default"],
        &["--metrics-address", "127.0.0.1", "default"],
        &["--config", &path, "flag"],
        &["--id", "-", "default"],
    ] {
        assert!(
            rows.iter().any(|found| found == row),
            "{row:?} is not in\n{output}"
        );
    }
    Ok(())
}

#[test]
fn secrets_are_never_printed() -> Result<()> {
    let text =
        "http-restricted-api = [\"health:key=Sesam\"]\ncache-config = [\"redis,password=Sesam\"]\n";
    for arguments in [&["check"][..], &["--help"], &["check", "--log-verbose=2"]] {
        let (mut command, _folder, path) = command(text)?;
        command.args(arguments).env("PYTRITON_CONFIG", path).env(
            "PYTRITON_TRITON_CONFIG_GRPC_RESTRICTED_PROTOCOL",
            "health:key=Sesam",
        );
        let finished = run(command)?;
        let output = finished.stdout + &finished.stderr;
        assert!(!output.contains("Sesam"), "{output}");
        assert_eq!(
            output.contains("(hidden)"),
            arguments[0] == "check",
            "{output}"
        );
    }
    Ok(())
}

#[test]
fn numbered_variables_are_added_to_the_unnumbered_one() -> Result<()> {
    let (mut command, _folder, path) = command(FREE)?;
    let variable = "PYTRITON_TRITON_CONFIG_CACHE_CONFIG";
    command
        .args(["check", "--config", &path])
        .env(variable, "local,size=2048")
        .env(format!("{variable}_0"), "local,size=4096");
    let output = run(command)?.success("check")?;
    assert!(
        output.contains("local,size=2048") && output.contains("local,size=4096"),
        "{output}"
    );
    Ok(())
}

#[test]
fn all_errors_are_reported_with_their_lines() -> Result<()> {
    let (mut wrong, _folder, path) = command("http-prot = 8000\ngrpc-port = \"x\"\n")?;
    wrong
        .env("PYTRITON_CONFIG", &path)
        .env("PORT", "tcp://10.0.0.1:80");
    let refused = run(wrong)?;
    assert_eq!(refused.status.code(), Some(2), "{}", refused.stderr);
    for part in [
        "3 mistakes",
        &format!("{path}:1: unknown key `http-prot`: did you mean `http-port`?"),
        &format!("{path}:2: `grpc-port`: expected a number, found a string"),
        "environment variable PORT: invalid value 'tcp://10.0.0.1:80'",
    ] {
        assert!(
            refused.stderr.contains(part),
            "{part} is not in\n{}",
            refused.stderr
        );
    }
    let (mut missing, _folder, _) = command("")?;
    missing.args(["check", "--config", "/no/such.toml"]);
    let refused = run(missing)?;
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        refused.stderr.contains("/no/such.toml"),
        "{}",
        refused.stderr
    );
    Ok(())
}

#[test]
fn platform_variable_sets_the_default_port() -> Result<()> {
    let port = TcpListener::bind("127.0.0.1:0")?
        .local_addr()?
        .port()
        .to_string();
    let (mut server, _folder, path) = command("grpc-port = 0\nmetrics-port = 0\n")?;
    server.env("PORT", &port).env("PYTRITON_CONFIG", path);
    let server = Server::spawn(&mut server)?;
    assert_eq!(server.banner().http, format!("127.0.0.1:{port}"));
    Ok(())
}
