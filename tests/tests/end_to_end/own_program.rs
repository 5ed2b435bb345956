//! A program with its own arguments, hooks, routes and state.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;

use pytriton_tests::{Engine, Result, Server, finish};

use crate::command_line::{DEADLINE, check, run};
use crate::folder;

const PROGRAM: &str = env!("CARGO_BIN_EXE_own_program");

#[test]
fn commands_that_do_not_serve_need_no_own_arguments() -> Result<()> {
    for arguments in [&["list"][..], &["list", "--format", "json"]] {
        assert!(run(PROGRAM, arguments)?.success("list")?.contains("Double"));
    }
    for arguments in [&["man"][..], &["completions", "bash"]] {
        assert!(run(PROGRAM, arguments)?.success("man")?.contains("zone"));
    }
    let refused = run(PROGRAM, &["list", "--zone", "a"])?;
    assert_eq!(refused.status.code(), Some(2), "{}", refused.stderr);
    let help = run(PROGRAM, &["--help"])?.success("--help")?;
    let (_, own) = help
        .split_once("Options of this program:")
        .unwrap_or_default();
    assert!(
        own.contains("--zone <NAME>") && own.contains("--fail"),
        "{help}"
    );
    assert!(
        help.contains("repository") && help.contains("--http-port"),
        "{help}"
    );
    Ok(())
}

#[test]
fn own_arguments_come_from_flags_environment_and_file() -> Result<()> {
    let missing = run(PROGRAM, &check())?;
    assert_eq!(missing.status.code(), Some(2));
    assert!(
        missing.stderr.contains("--zone <NAME>"),
        "{}",
        missing.stderr
    );
    let checked = finish(
        Command::new(PROGRAM)
            .args(check())
            .env("OWN_PROGRAM_ZONE", "here"),
        DEADLINE,
    )?;
    let table = checked.success("check")?;
    let line = table.lines().find(|line| line.contains("--zone"));
    assert!(line.is_some_and(|line| line.contains("here")), "{table}");
    assert!(table.contains("all checks passed"), "{table}");
    Ok(())
}

/// Starts a server, stops it, and returns its exit code and log.
fn served(engine: Engine, arguments: &[&str]) -> Result<(Option<i32>, String)> {
    let server = Server::start_with(engine, folder(), PROGRAM, arguments)?;
    if !arguments.contains(&"--fail=start") && !arguments.contains(&"--fail=panic") {
        server.log_with(&["started "])?;
        server.signal("TERM")?;
    }
    let (status, log) = server.wait(DEADLINE)?;
    Ok((status.code(), log))
}

#[test]
fn hooks_are_called_with_both_engines() -> Result<()> {
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        let (code, log) = served(engine, &["--zone=a"])?;
        assert_eq!(code, Some(0), "{log}");
        let (started, stopped) = (log.find("started a at Some("), log.find("stopped a"));
        assert!(started.is_some() && started < stopped, "{log}");
    }
    Ok(())
}

#[test]
fn a_failed_hook_is_a_failure_of_the_program() -> Result<()> {
    for (point, error) in [
        (
            "--fail=start",
            "error: the start hook failed: no start in a",
        ),
        ("--fail=stop", "error: the stop hook failed: no stop in a"),
        (
            "--fail=panic",
            "error: the start hook failed: it panicked: panic at start",
        ),
        // The error of the start is returned, so that of the stop is logged.
        (
            "--fail=panic",
            "the stop hook failed: it panicked: panic at stop",
        ),
    ] {
        let (code, log) = served(Engine::Embedded, &["--zone=a", point])?;
        assert_eq!(code, Some(1), "{log}");
        assert!(log.contains(error) && log.contains("stopped a"), "{log}");
        assert!(log.contains("left a"), "{log}");
    }
    Ok(())
}

#[test]
fn a_second_signal_ends_a_program_whose_stop_hook_hangs() -> Result<()> {
    let arguments = ["--zone=a", "--fail=hang"];
    let server = Server::start_with(Engine::Embedded, folder(), PROGRAM, &arguments)?;
    server.signal("TERM")?;
    server.log_with(&["stopped a"])?;
    server.signal("TERM")?;
    let (status, log) = server.wait(DEADLINE)?;
    assert_eq!(status.code(), Some(1), "{log}");
    let error = "error: the stop hook failed: SIGTERM was received again before it returned";
    assert!(log.contains(error), "{log}");
    Ok(())
}

const ROUTES: &str = env!("CARGO_BIN_EXE_own_routes");

/// Sends a request, and returns the head and body of the response.
pub(crate) fn respond(server: &Server, method: &str, path: &str, body: &str) -> Result<String> {
    respond_at(&server.banner().http, method, path, body)
}

/// Sends a request to an address, and returns the head and body of the response.
pub(crate) fn respond_at(address: &str, method: &str, path: &str, body: &str) -> Result<String> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(DEADLINE))?;
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n"
    );
    stream.write_all((head + body).as_bytes())?;
    let mut response = String::new();
    stream.read_to_string(&mut response)?;
    Ok(response)
}

#[test]
fn routes_and_layers_are_served_next_to_the_models() -> Result<()> {
    let infer = r#"{"inputs":[{"name":"x","datatype":"FP32","shape":[1,1],"data":[1.5]}]}"#;
    let server = Server::start(ROUTES, &["--server=b"])?;
    for (method, path, body, expected) in [
        ("GET", "/double/1.5", "", "\r\n\r\n3"),
        ("POST", "/v2/models/Double/infer", infer, r#""data":[3.0]"#),
        ("GET", "/v2/health/ready", "", "200 OK"),
        ("GET", "/elsewhere", "", "404 Not Found"),
        ("GET", "/pause", "", "200 OK"),
        ("GET", "/v2/health/ready", "", "400 Bad Request"),
        ("GET", "/v2/health/live", "", "200 OK"),
    ] {
        let response = respond(&server, method, path, body)?;
        assert!(response.contains(expected), "{path}: {response}");
        assert!(response.contains("x-server: b\r\n"), "{path}: {response}");
    }
    server.signal("TERM")?;
    let (status, log) = server.wait(DEADLINE)?;
    assert_eq!(status.code(), Some(0), "{log}");
    Ok(())
}

#[test]
fn own_routes_are_in_the_access_log() -> Result<()> {
    let server = Server::start(ROUTES, &["--access-log=text"])?;
    let response = respond(&server, "GET", "/double/1.5", "")?;
    assert!(response.contains("200 OK"), "{response}");
    respond(&server, "GET", "/elsewhere", "")?;
    let lines = [
        r#""GET /double/1.5 HTTP/1.1" 200"#,
        r#""GET /elsewhere HTTP/1.1" 404"#,
    ];
    server.log_with(&lines)?;
    Ok(())
}

#[test]
fn parts_that_tritonserver_cannot_serve_select_the_embedded_engine() -> Result<()> {
    let refused = run(ROUTES, &[&check()[..], &["--engine=tritonserver"]].concat())?;
    let error = "error: the program has a router, which tritonserver cannot serve on its ports";
    assert_eq!(refused.status.code(), Some(1));
    assert!(refused.stderr.contains(error), "{}", refused.stderr);
    let checked = run(ROUTES, &[&check()[..], &["--engine=auto"]].concat())?.success("check")?;
    let reason = "engine embedded: tritonserver cannot serve the program's router";
    assert!(checked.contains(reason), "{checked}");
    Ok(())
}
