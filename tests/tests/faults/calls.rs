//! SIGTERM during slow, repeated or idle gRPC calls, and when tritonserver shuts down on its own.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use pytriton_tests::Result;

use crate::draining::{AFTERWARDS, SHUTDOWN_LIMIT, answered, ends};
use crate::engine::{FREE_PORTS, installed, prepare, start};
use crate::failed_start::program;
use crate::process::{signal, wait_until};
use crate::proxy::{Slow, slow_way};
use crate::{EXIT, http, python};

/// A Python process with gRPC calls that prints a line for each step: `MODE ADDRESS`.
pub(crate) struct Calls {
    child: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Calls {
    pub(crate) fn new(mode: &str, address: &str) -> Result<Self> {
        Self::asking(mode, address, &[])
    }

    /// Starts the process for another model and input.
    fn asking(mode: &str, address: &str, asked: &[&str]) -> Result<Self> {
        let mut child = python()?
            .command()
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("python/calls.py"))
            .args([mode, address])
            .args(asked)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let Some(output) = child.stdout.take() else {
            panic!("it is piped");
        };
        Ok(Self {
            child,
            lines: BufReader::new(output).lines(),
        })
    }

    pub(crate) fn line(&mut self) -> Result<String> {
        match self.lines.next() {
            Some(line) => Ok(line?),
            None => panic!("the client has ended"),
        }
    }
}

impl Drop for Calls {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn slow_calls_complete_during_shutdown() -> Result<()> {
    for slow in [Slow::Up, Slow::Down] {
        let home = tempfile::tempdir()?;
        let server = start(home.path(), &[])?;
        let way = slow_way(&server.banner().grpc, slow, Duration::from_millis(400))?;
        let mut calls = Calls::new("large", &way.to_string())?;
        assert_eq!(calls.line()?, "asking");
        match slow {
            Slow::Up => thread::sleep(Duration::from_millis(700)),
            Slow::Down => {
                wait_until("the function", EXIT, || answered(&server, "I_UINT8"));
            }
        }
        let begun = Instant::now();
        server.signal("TERM")?;
        assert_eq!(calls.line()?, "right", "{slow:?}");
        let last = Instant::now();
        assert!(
            last - begun > Duration::from_millis(400),
            "{slow:?} was not slow"
        );
        ends(server, last)?;
    }
    Ok(())
}

#[test]
fn continuous_calls_complete_and_then_are_refused() -> Result<()> {
    let home = tempfile::tempdir()?;
    let server = start(home.path(), &[])?;
    let mut calls = Calls::new("loop", &server.banner().grpc)?;
    assert_eq!(calls.line()?, "warm");
    let begun = Instant::now();
    server.signal("TERM")?;
    let (status, log) = server.wait(SHUTDOWN_LIMIT)?;
    let took = begun.elapsed();
    assert_eq!(status.code(), Some(0), "{log}");
    assert!(took < AFTERWARDS * 2, "{took:?} {log}");
    drop(calls.child.stdin.take());
    assert_eq!(calls.line()?, "every call has an answer or UNAVAILABLE");
    Ok(())
}

#[test]
fn idle_clients_do_not_delay_shutdown() -> Result<()> {
    for mode in ["channel", "stream"] {
        let home = tempfile::tempdir()?;
        let server = start(home.path(), &[])?;
        let mut calls = Calls::new(mode, &server.banner().grpc)?;
        assert_eq!(calls.line()?, "right");
        let mut idle = TcpStream::connect(&server.banner().http)?;
        idle.write_all(b"GET /v2/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")?;
        assert_eq!(idle.read(&mut [0; 1000])?, 64);
        let silent = TcpStream::connect(&server.banner().http)?;
        // An open stream counts as idle only after a moment.
        thread::sleep(Duration::from_secs(2));
        let last = Instant::now();
        server.signal("TERM")?;
        let log = ends(server, last)?;
        // Closing a connection without an open call loses nothing.
        let logged = log.contains("closed gRPC connections whose calls");
        assert_eq!(logged, mode == "stream", "{log}");
        drop(silent);
    }
    Ok(())
}

/// With models of others or with traces, tritonserver must shut down on its own; without shared
/// descriptors, too.
#[test]
fn calls_complete_if_tritonserver_shuts_down_on_its_own() -> Result<()> {
    let home = tempfile::tempdir()?;
    let real = installed()?;
    let alone = format!("#!/bin/sh\nexec '{real}/bin/tritonserver' \"$@\" </dev/null\n");
    let alone = program(home.path(), 0o755, &alone)?;
    let caches = format!("--cache-directory={real}/caches");
    let folder = home.path().join("others");
    fs::create_dir(&folder)?;
    let others = format!("--model-repository={}", folder.display());
    let traces = format!("--trace-config=triton,file={}/trace", home.path().display());
    let table: [&[&str]; 3] = [
        &["--tritonserver", &alone, &caches],
        &[&others],
        &[
            &traces,
            "--trace-config=level=TIMESTAMPS",
            "--trace-config=rate=1",
        ],
    ];
    for arguments in table {
        let server = start(home.path(), arguments)?;
        let nap = http::nap(&server.banner().http, "Slow", 900)?;
        let mut calls = Calls::new("channel", &server.banner().grpc)?;
        assert_eq!(calls.line()?, "right");
        server.signal("TERM")?;
        let answer = http::receive(nap)?;
        assert_eq!(answer.status, 200, "{arguments:?} {answer:?}");
        let (status, log) = server.wait(EXIT)?;
        assert_eq!(status.code(), Some(0), "{arguments:?} {log}");
    }
    assert!(home.path().join("trace").metadata()?.len() > 0);
    Ok(())
}

/// A server without HTTP, which the harness does not support. It is killed when it is dropped.
struct Deaf(Child);

impl Drop for Deaf {
    fn drop(&mut self) {
        // The server may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn calls_complete_without_http() -> Result<()> {
    let home = tempfile::tempdir()?;
    // A server without models that need HTTP.
    let mut command = Command::new(env!("CARGO_BIN_EXE_example_identity"));
    prepare(&mut command, home.path())?;
    command.args(FREE_PORTS);
    command.args(["--allow-http=false", "--allow-docs=false"]);
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut server = Deaf(command.spawn()?);
    let Some(output) = server.0.stdout.take() else {
        panic!("it is piped");
    };
    let lines = BufReader::new(output).lines().map_while(|line| line.ok());
    let banner: Vec<_> = lines.take_while(|line| line != "ready").collect();
    let grpc = banner.iter().find_map(|line| line.split_once("grpc://"));
    let Some((_, address)) = grpc else {
        panic!("it did not start: {banner:?}");
    };
    let mut calls = Calls::asking("loop", address, &["Identity", "INPUT_1"])?;
    assert_eq!(calls.line()?, "warm");
    let begun = Instant::now();
    signal("TERM", server.0.id())?;
    let status = server.0.wait()?;
    assert_eq!(status.code(), Some(0));
    assert!(begun.elapsed() < AFTERWARDS * 2, "{:?}", begun.elapsed());
    drop(calls.child.stdin.take());
    assert_eq!(calls.line()?, "every call has an answer or UNAVAILABLE");
    Ok(())
}
