//! `kill -9` at random moments under load.

use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;
use std::{fs, thread};

use pytriton_tests::{Result, Server};

use crate::engine::{FREE_PORTS, prepare, start, workspaces};
use crate::load::Load;
use crate::process::{child, group, has_named_memory, kill, tritonserver, wait_until};
use crate::random::Random;
use crate::{EXIT, MODELS, NOTICED, http};

/// The number of times that each process is killed.
const ROUNDS: usize = 4;

/// The duration of several batches of the model under load.
const MOMENTS: Duration = Duration::from_millis(150);

/// One batch per instance at a time, and several.
const LOADED: [&str; 2] = ["Gather", "Ferry"];

fn closed(server: &Server) -> bool {
    let banner = server.banner();
    let endpoints = [&banner.http, &banner.grpc, &banner.metrics];
    endpoints
        .iter()
        .all(|address| TcpStream::connect(address).is_err())
}

#[test]
fn killing_tritonserver_under_load_is_reported() -> Result<()> {
    let home = tempfile::tempdir()?;
    let mut random = Random::new();
    let mut load = Load::new()?;
    for round in 0..ROUNDS {
        let server = start(home.path(), &[])?;
        assert_eq!(workspaces(home.path()).len(), 1);
        load.begin(&server, LOADED[round % LOADED.len()])?;
        let child = tritonserver(&server);
        assert!(!has_named_memory(child) && !has_named_memory(server.pid()));
        thread::sleep(random.moment(MOMENTS));
        kill(child)?;
        wait_until("all endpoints to close", NOTICED, || closed(&server));
        let (status, log) = server.wait(NOTICED)?;
        assert_eq!(status.code(), Some(1), "{log}");
        assert!(
            log.contains("error: tritonserver was killed by signal 9"),
            "{log}"
        );
        load.fails()?;
        let report = load.end()?;
        report.check();
        assert!(report.has_errors(), "{}", report.text());
        assert!(group(child).is_empty());
        assert!(workspaces(home.path()).is_empty());
    }
    Ok(())
}

#[test]
fn killing_the_worker_under_load_leaves_no_process() -> Result<()> {
    let home = tempfile::tempdir()?;
    let mut random = Random::new();
    let mut load = Load::new()?;
    for round in 0..ROUNDS {
        // The remains of the previous round are removed and do not affect this start.
        let server = start(home.path(), &[])?;
        assert_eq!(workspaces(home.path()).len(), 1);
        load.begin(&server, LOADED[round % LOADED.len()])?;
        let child = tritonserver(&server);
        thread::sleep(random.moment(MOMENTS));
        kill(server.pid())?;
        wait_until("all endpoints to close", NOTICED, || closed(&server));
        wait_until("the end of tritonserver", NOTICED, || {
            group(child).is_empty()
        });
        load.fails()?;
        let report = load.end()?;
        report.check();
        assert!(report.has_errors(), "{}", report.text());
    }
    drop(start(home.path(), &[])?);
    Ok(())
}

/// The ports are the same, so they must be free as soon as the process is dead.
#[test]
fn next_start_can_use_the_same_ports_at_once() -> Result<()> {
    let home = tempfile::tempdir()?;
    let mut load = Load::new()?;
    let first = start(home.path(), &[])?;
    load.begin(&first, LOADED[1])?;
    let banner = first.banner().clone();
    let child = tritonserver(&first);
    kill(first.pid())?;
    wait_until("the end of tritonserver", NOTICED, || {
        group(child).is_empty()
    });
    let port = |address: &str| address.rsplit(':').next().unwrap_or_default().to_owned();
    let ports = [
        format!("--http-port={}", port(&banner.http)),
        format!("--grpc-port={}", port(&banner.grpc)),
        format!("--metrics-port={}", port(&banner.metrics)),
        format!(
            "--openai-port={}",
            port(banner.openai.as_deref().unwrap_or_default())
        ),
        format!(
            "--docs-port={}",
            port(banner.docs.as_deref().unwrap_or_default())
        ),
    ];
    let mut command = Command::new(MODELS);
    prepare(&mut command, home.path())?;
    let next = Server::spawn(command.args(ports))?;
    assert_eq!(next.banner(), &banner);
    assert!(http::right(&next.banner().http));
    assert_eq!(workspaces(home.path()).len(), 1);
    load.end()?.check();
    Ok(())
}

#[test]
fn restarted_server_returns_correct_responses() -> Result<()> {
    let home = tempfile::tempdir()?;
    let mut random = Random::new();
    let mut load = Load::new()?;
    let server = start(home.path(), &["--restart"])?;
    let descriptors = || {
        let entries = fs::read_dir(format!("/proc/{}/fd", server.pid()));
        entries.map_or(0, Iterator::count)
    };
    let mut before = 0;
    for round in 0..3 {
        load.begin(&server, LOADED[round % LOADED.len()])?;
        thread::sleep(random.moment(MOMENTS));
        let old = tritonserver(&server);
        kill(old)?;
        load.fails()?;
        wait_until("the restart", EXIT, || {
            // The server may respond before this is logged.
            http::right(&server.banner().http) && times_ready_again(&server) > round
        });
        let report = load.end()?;
        report.check();
        assert!(report.has_errors(), "{}", report.text());
        assert!(group(old).is_empty());
        assert_ne!(child(&server), Some(old));
        if round == 0 {
            before = descriptors();
        }
    }
    // The instances of dead servers must release their descriptors.
    wait_until("giving back descriptors", NOTICED, || {
        descriptors() <= before
    });
    let log = server.log()?;
    for pause in [
        "restarting it in 100 ms",
        "restarting it in 200 ms",
        "restarting it in 400 ms",
    ] {
        assert!(log.contains(pause), "{log}");
    }
    assert_eq!(times_ready_again(&server), 3);
    server.signal("TERM")?;
    assert_eq!(server.wait(EXIT)?.0.code(), Some(0));
    assert!(workspaces(home.path()).is_empty());
    Ok(())
}

/// Returns the number of restarts that the log reports as complete.
fn times_ready_again(server: &Server) -> usize {
    let log = server.log().unwrap_or_default();
    log.matches("tritonserver is ready again").count()
}

#[test]
fn stop_during_a_restart_is_orderly() -> Result<()> {
    let home = tempfile::tempdir()?;
    let mut random = Random::new();
    for _ in 0..ROUNDS {
        let mut command = Command::new(env!("CARGO_BIN_EXE_example_identity"));
        prepare(&mut command, home.path())?;
        let server = Server::spawn(command.args(FREE_PORTS).arg("--restart"))?;
        let old = tritonserver(&server);
        kill(old)?;
        wait_until("the news of its end", NOTICED, || {
            let log = server.log();
            log.is_ok_and(|log| log.contains("restarting it in 100 ms"))
        });
        // The pause, the start, and the moment between the first response and readiness.
        thread::sleep(random.moment(Duration::from_millis(500)));
        let new = child(&server);
        server.signal("TERM")?;
        let (status, log) = server.wait(EXIT)?;
        assert_eq!(status.code(), Some(0), "{log}");
        assert!(!log.contains("error: "), "{log}");
        assert!(new.is_none_or(|new| group(new).is_empty()));
        assert!(workspaces(home.path()).is_empty());
    }
    Ok(())
}
