//! Restricted groups of routes with either engine, and secrets that must not be visible.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use pytriton_tests::{Engine, Python, Result, Server, finish};

use crate::command_line::FREE_PORTS;
use crate::{MODELS, folder, serve};

const TOKEN: &str = "aToken-of_43_characters.0123456789=:,;!#%&'x";
const OTHER: &str = "anotherToken-of-24-bytes";
const ENDPOINTS: &str = "PYTRITON_TRITON_CONFIG_RESTRICTED_ENDPOINTS";
const DEFAULT: &str = "shared-memory,model-repository,statistics,trace,logging";
const ALL: &str = "health,metadata,inference,shared-memory,model-config,model-repository,statistics,trace,logging";
const DEADLINE: Duration = Duration::from_secs(10);

/// The source of the secret for restricted groups.
#[derive(Debug, Clone, Copy)]
enum Key {
    File,
    Environment,
    /// A custom header for each protocol.
    Header,
}

fn drive(engine: Engine, closed: &str, key: Key) -> Result<()> {
    let home = tempfile::tempdir()?;
    let file = home.path().join("token");
    fs::write(&file, format!("{TOKEN}\n"))?;
    let mut command = engine.command(MODELS.as_ref(), folder())?;
    command.args(FREE_PORTS).arg("--openai-port=0");
    let (endpoints, header, secret) = match key {
        Key::Header => ("", "own-key", OTHER),
        Key::File | Key::Environment => (closed, "triton-access-token", TOKEN),
    };
    command.arg(format!("--restricted-endpoints={endpoints}"));
    let own = format!("{closed}:{header}={secret}");
    match key {
        Key::File => command.arg(format!("--access-token-file={}", file.display())),
        Key::Environment => command.env("PYTRITON_TRITON_CONFIG_ACCESS_TOKEN", TOKEN),
        Key::Header => command
            .env("PYTRITON_TRITON_CONFIG_HTTP_RESTRICTED_API", &own)
            .env("PYTRITON_TRITON_CONFIG_GRPC_RESTRICTED_PROTOCOL", &own),
    };
    let server = Server::spawn_with(engine, &mut command)?;
    let variables = [
        ("PYTRITON_TEST_CLOSED", closed),
        ("PYTRITON_TEST_HEADER", header),
        ("PYTRITON_TEST_TOKEN", secret),
    ];
    let python = Python::with_pytriton_clients(folder())?;
    python.test_with("test_access.py", &server, &variables)?;
    assert!(!server.log()?.contains(secret));
    Ok(())
}

macro_rules! groups {
    ($($engine:ident: $variant:ident;)*) => {$(
        mod $engine {
            use super::{ALL, DEFAULT, Key, drive};
            use pytriton_tests::{Engine, Result};

            #[test]
            fn access_without_restricted_groups() -> Result<()> {
                drive(Engine::$variant, "", Key::File)
            }

            #[test]
            fn access_with_default_groups() -> Result<()> {
                drive(Engine::$variant, DEFAULT, Key::File)
            }

            #[test]
            fn access_with_restricted_inference() -> Result<()> {
                drive(Engine::$variant, "inference,statistics", Key::Environment)
            }

            #[test]
            fn access_with_a_custom_header() -> Result<()> {
                drive(Engine::$variant, "inference,statistics", Key::Header)
            }

            #[test]
            fn access_with_all_groups_restricted() -> Result<()> {
                drive(Engine::$variant, ALL, Key::File)
            }
        }
    )*};
}

groups! {
    embedded: Embedded;
    tritonserver: Tritonserver;
}

/// Returns the status of an HTTP request.
fn status(server: &Server, path: &str, headers: &[(&str, &str)]) -> Result<u16> {
    let address = &server.banner().http;
    let mut stream = TcpStream::connect(address)?;
    let mut request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n");
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{request}\r\n").as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let code = answer.get(9..12).and_then(|code| code.parse().ok());
    Ok(code.unwrap_or_default())
}

fn opens(server: &Server, token: &str) -> Result<bool> {
    Ok(status(
        server,
        "/v2/models/stats",
        &[("triton-access-token", token)],
    )? == 200)
}

/// Returns the command lines of a process and its children, which all users of the machine can
/// read.
fn command_lines(id: u32) -> String {
    let read = |id: u32| fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
    let tasks = fs::read_dir(format!("/proc/{id}/task"))
        .into_iter()
        .flatten()
        .flatten();
    let children = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    let children: Vec<u32> = children
        .flat_map(|ids| {
            ids.split_whitespace()
                .filter_map(|id| id.parse().ok())
                .collect::<Vec<_>>()
        })
        .collect();
    let all = children.into_iter().chain([id]).flat_map(read);
    String::from_utf8_lossy(&all.collect::<Vec<u8>>()).into_owned()
}

/// Returns a server with a generated token and a second secret in the environment.
fn secretive(engine: Engine) -> Result<Command> {
    let mut command = engine.command(MODELS.as_ref(), folder())?;
    command
        .args([
            "--http-port=0",
            "--grpc-port=0",
            "--metrics-port=0",
            "--openai-port=0",
            "--docs-port=0",
        ])
        .arg("--log-verbose=2")
        .env("RUST_LOG", "trace")
        .env(ENDPOINTS, DEFAULT)
        .env(
            "PYTRITON_TRITON_CONFIG_HTTP_RESTRICTED_API",
            format!("trace:own-key={OTHER}"),
        );
    Ok(command)
}

#[test]
fn secrets_are_hidden() -> Result<()> {
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        let home = tempfile::tempdir()?;
        let server = Server::spawn(secretive(engine)?.env("XDG_RUNTIME_DIR", home.path()))?;
        let path = home.path().display().to_string();
        let log = server.log_with(&[&path])?;
        let file = log.split_whitespace().find(|word| word.starts_with(&path));
        let file = Path::new(file.unwrap_or_else(|| panic!("no file is named: {log}"))).to_owned();
        let token = fs::read_to_string(&file)?.trim().to_owned();
        assert_eq!(token.len(), 43);
        assert!(opens(&server, &token)? && !opens(&server, OTHER)?);
        let trace = |headers: &[(&str, &str)]| status(&server, "/v2/trace/setting", headers);
        assert_ne!(trace(&[("Own-Key", OTHER)])?, 403);
        assert_eq!(trace(&[("triton-access-token", &token)])?, 403);
        let lines = command_lines(server.pid());
        assert_eq!(
            lines.contains("(hidden 1)"),
            engine == Engine::Tritonserver,
            "{lines}"
        );
        server.signal("TERM")?;
        let (_, log) = server.wait(DEADLINE)?;
        for secret in [token.as_str(), OTHER] {
            assert!(!lines.contains(secret), "{lines}");
            assert!(!log.contains(secret), "{log}");
        }
        assert!(!file.exists());
    }
    Ok(())
}

#[test]
fn help_and_check_do_not_show_secrets() -> Result<()> {
    for arguments in [
        &["--help"][..],
        &[
            "check",
            "--http-port=0",
            "--grpc-port=0",
            "--metrics-port=0",
        ],
    ] {
        let mut command = Command::new(MODELS);
        command
            .args(arguments)
            .env("RUST_LOG", "trace")
            .env(ENDPOINTS, DEFAULT)
            .env("PYTRITON_TRITON_CONFIG_ACCESS_TOKEN", TOKEN)
            .env(
                "PYTRITON_TRITON_CONFIG_HTTP_RESTRICTED_API",
                format!("trace:own-key={OTHER}"),
            )
            .env(
                "PYTRITON_TRITON_CONFIG_GRPC_RESTRICTED_PROTOCOL_0",
                format!("trace:own-key={OTHER}"),
            );
        let done = finish(&mut command, DEADLINE)?;
        assert!(done.status.success(), "{}", done.stderr);
        for said in [done.stdout, done.stderr] {
            assert!(!said.contains(TOKEN) && !said.contains(OTHER), "{said}");
        }
    }
    Ok(())
}

fn within(what: &str, mut done: impl FnMut() -> Result<bool>) -> Result<()> {
    let begun = Instant::now();
    while !done()? {
        assert!(begun.elapsed() < DEADLINE, "{what}");
        sleep(Duration::from_millis(20));
    }
    Ok(())
}

#[test]
fn token_can_change_while_the_server_runs() -> Result<()> {
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        let home = tempfile::tempdir()?;
        let file = home.path().join("token");
        fs::write(&file, TOKEN)?;
        let argument = format!("--access-token-file={}", file.display());
        let server = serve(engine, &["--restricted-endpoints=statistics", &argument])?;
        assert!(opens(&server, TOKEN)? && !opens(&server, OTHER)?);
        fs::write(&file, format!("{OTHER}\n{TOKEN}\n"))?;
        if engine == Engine::Tritonserver {
            server.log_with(&["is in effect until tritonserver restarts"])?;
            assert!(opens(&server, TOKEN)? && !opens(&server, OTHER)?);
            continue;
        }
        within("the new token does not open", || opens(&server, OTHER))?;
        assert!(opens(&server, TOKEN)?);
        fs::write(&file, "")?;
        server.log_with(&["it is empty"])?;
        assert!(opens(&server, OTHER)?);
        fs::write(&file, OTHER)?;
        within("the old token opens for ever", || {
            Ok(!opens(&server, TOKEN)?)
        })?;
        assert!(opens(&server, OTHER)?);
    }
    Ok(())
}

#[test]
fn invalid_restrictions_fail_the_start_with_tritonserver_texts() -> Result<()> {
    for (option, words) in [
        (
            "--http-restricted-api=bogus:k=v",
            "unknown restricted api 'bogus' ",
        ),
        (
            "--grpc-restricted-protocol=logging",
            "'<config name>:<setting>=<value>'. Restriction 1 has another format; its text is not shown",
        ),
        (
            "--access-token-file=/nonexistent",
            "cannot read the access token from --access-token-file /nonexistent",
        ),
        (
            "--restricted-endpoints=bad",
            "Invalid endpoint names: bad. Valid endpoints are: health, ",
        ),
    ] {
        for engine in [Engine::Embedded, Engine::Tritonserver] {
            let mut command = engine.command(MODELS.as_ref(), folder())?;
            command.args(["--http-port=0", "--grpc-port=0", "--metrics-port=0", option]);
            command.env(ENDPOINTS, DEFAULT);
            let refused = finish(&mut command, DEADLINE)?;
            assert!(!refused.status.success(), "{option}");
            assert!(
                refused.stderr.contains(words),
                "{option}: {}",
                refused.stderr
            );
        }
    }
    Ok(())
}
