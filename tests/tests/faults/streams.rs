//! Response streams while processes die, connections break, servers stop and clients disconnect.

use std::fs;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use pytriton_tests::{Engine, Result, Server};
use serde_json::Value;

use crate::engine::start;
use crate::load::Driven;
use crate::process::{kill, tritonserver, wait_until};
use crate::sockets::{Socket, connections};
use crate::{EXIT, MODELS, NOTICED};

/// One stream per instance of the model, and a model with one instance and many batches in flight.
const BUSY: [(&str, usize); 2] = [("SlowCount", 4), ("PatientCount", 32)];

/// More responses than any client waits for.
const ENDLESS: usize = 1_000_000;

/// The time limit for a function to notice cancellation.
const HEARD: Duration = Duration::from_millis(500);

/// Python clients with one stream each.
struct Streams(Driven);

/// The results of the streams.
#[derive(Debug)]
struct Report(Value);

impl Streams {
    fn new() -> Result<Self> {
        Driven::start("streams.py").map(Self)
    }

    /// Opens streams with a number of responses and a pause before each.
    fn open(
        &mut self,
        server: &Server,
        (model, streams): (&str, usize),
        (count, milliseconds): (usize, usize),
    ) -> Result<()> {
        let grpc = &server.banner().grpc;
        let line = format!("open {grpc} {model} {streams} {count} {milliseconds}");
        assert_eq!(self.0.send_line(&line)?, "open");
        Ok(())
    }

    /// Waits until all streams have ended.
    fn ended(&mut self) -> Result<Report> {
        let reply = self.0.send_line("ended")?;
        let report = Report(serde_json::from_str(&reply).unwrap_or_default());
        assert!(report.number("hanging") == 0, "{report:?}");
        assert!(report.number("wrong") == 0, "{report:?}");
        assert!(report.number("silent") == 0, "{report:?}");
        Ok(report)
    }
}

impl Report {
    fn number(&self, name: &str) -> u64 {
        self.0[name]
            .as_u64()
            .unwrap_or_else(|| panic!("no {name}: {self:?}"))
    }

    fn errors(&self) -> String {
        self.0["errors"].to_string()
    }
}

/// Checks that all instances of the models are free, so none still produces responses for closed
/// streams.
fn are_free(server: &Server) -> Result<()> {
    for (model, count) in BUSY {
        let begun = Instant::now();
        let mut streams = Streams::new()?;
        streams.open(server, (model, count), (2, 1))?;
        assert_eq!(streams.ended()?.number("whole"), count as u64, "{model}");
        assert!(begun.elapsed() < EXIT, "{model}: {:?}", begun.elapsed());
    }
    Ok(())
}

#[test]
fn killed_worker_ends_streams() -> Result<()> {
    for busy in BUSY {
        let home = tempfile::tempdir()?;
        let server = start(home.path(), &[])?;
        let mut streams = Streams::new()?;
        streams.open(&server, busy, (ENDLESS, 20))?;
        kill(server.pid())?;
        let begun = Instant::now();
        let report = streams.ended()?;
        assert_eq!(report.number("whole"), 0, "{report:?}");
        assert!(begun.elapsed() < 2 * NOTICED, "{:?}", begun.elapsed());
    }
    Ok(())
}

#[test]
fn killed_tritonserver_ends_streams_and_restarts() -> Result<()> {
    for busy in BUSY {
        let home = tempfile::tempdir()?;
        let server = start(home.path(), &["--restart"])?;
        let mut streams = Streams::new()?;
        streams.open(&server, busy, (ENDLESS, 20))?;
        kill(tritonserver(&server))?;
        let report = streams.ended()?;
        assert_eq!(report.number("whole"), 0, "{report:?}");
        wait_until("the restart", EXIT, || {
            crate::http::right(&server.banner().http)
        });
        are_free(&server)?;
        server.signal("TERM")?;
        assert_eq!(server.wait(EXIT)?.0.code(), Some(0));
    }
    Ok(())
}

#[test]
fn closed_channel_ends_streams() -> Result<()> {
    let home = tempfile::tempdir()?;
    let server = start(home.path(), &[])?;
    for busy in BUSY {
        let mut streams = Streams::new()?;
        streams.open(&server, busy, (ENDLESS, 20))?;
        connections(&server).iter().try_for_each(Socket::sever)?;
        let errors = streams_that_failed(&mut streams, busy.1)?;
        let expected = r#"["the process that runs the model has ended"]"#;
        assert_eq!(errors, expected);
        wait_until("the return of the model", EXIT, || {
            crate::http::right(&server.banner().http)
        });
        are_free(&server)?;
    }
    Ok(())
}

/// Returns the error in the last response of these streams.
fn streams_that_failed(streams: &mut Streams, count: usize) -> Result<String> {
    let report = streams.ended()?;
    assert_eq!(report.number("whole"), 0, "{count}: {report:?}");
    Ok(report.errors())
}

#[test]
fn streams_that_end_before_the_deadline_are_complete() -> Result<()> {
    for busy in BUSY {
        let home = tempfile::tempdir()?;
        let server = start(home.path(), &[])?;
        let mut streams = Streams::new()?;
        streams.open(&server, busy, (50, 40))?;
        server.signal("TERM")?;
        let report = streams.ended()?;
        assert_eq!(report.number("whole"), busy.1 as u64, "{report:?}");
        let (status, log) = server.wait(EXIT)?;
        assert_eq!(status.code(), Some(0), "{log}");
    }
    Ok(())
}

#[test]
fn endless_streams_end_at_shutdown() -> Result<()> {
    for busy in BUSY {
        let home = tempfile::tempdir()?;
        let server = start(home.path(), &["--exit-timeout-secs=3"])?;
        let mut streams = Streams::new()?;
        streams.open(&server, busy, (ENDLESS, 10))?;
        let begun = Instant::now();
        server.signal("TERM")?;
        let errors = streams_that_failed(&mut streams, busy.1)?;
        assert!(errors.contains("Server is stopping"), "{errors}");
        let (status, log) = server.wait(EXIT)?;
        assert_eq!(status.code(), Some(0), "{log}");
        assert!(begun.elapsed() < Duration::from_secs(6), "{log}");
    }
    Ok(())
}

#[test]
fn disconnected_clients_end_their_streams() -> Result<()> {
    let home = tempfile::tempdir()?;
    let server = start(home.path(), &[])?;
    for _ in 0..3 {
        for busy in BUSY {
            let mut streams = Streams::new()?;
            streams.open(&server, busy, (ENDLESS, 20))?;
            // Clients cancel, or are killed.
            match busy.1 {
                4 => assert_eq!(streams.0.send_line("cancel")?, "cancelled"),
                _ => streams.0.kill()?,
            }
            thread::sleep(HEARD);
            are_free(&server)?;
        }
    }
    Ok(())
}

/// Returns the private memory of a process, in KiB.
fn memory(id: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// The maximum growth of a process in KiB for ten thousand streams on 400 connections, about twice
/// the measured growth.
const FLAT: u64 = 2048;

/// The same for the embedded engine, which keeps nothing of an ended connection.
const EMBEDDED_FLAT: u64 = 512;

/// Opens and cancels the given number of streams.
fn churn(server: &Server, count: usize) -> Result<()> {
    let mut streams = Streams::new()?;
    let mut left = count;
    while left > 0 {
        let some = left.min(100);
        let line = format!("churn {} {some}", server.banner().grpc);
        let reply = streams.0.send_line(&line)?;
        assert_eq!(reply, "churned", "{}", server.log()?);
        left -= some;
    }
    Ok(())
}

/// These tests run one at a time, because they load the machine and other tests have time limits of
/// seconds.
static FLAT_ALONE: Mutex<()> = Mutex::new(());

/// The number of times that the growth is measured. Allocators may keep memory once, for threads
/// that other load has started; a leak grows each time.
const MEASURED: usize = 3;

fn flat(server: &Server, processes: &[u32], growth: u64) -> Result<()> {
    let _alone = FLAT_ALONE.lock();
    churn(server, 3000)?;
    let used = || -> Vec<_> { processes.iter().map(|&id| memory(id)).collect() };
    let mut rounds = vec![used()];
    let is_flat = |rounds: &[Vec<u64>]| {
        let [.., before, after] = rounds else {
            return false;
        };
        let mut pairs = before.iter().zip(after);
        pairs.all(|(before, after)| after.saturating_sub(*before) <= growth)
    };
    while !is_flat(&rounds) && rounds.len() <= MEASURED {
        churn(server, 10_000)?;
        rounds.push(used());
    }
    assert!(is_flat(&rounds), "{rounds:?} KiB");
    Ok(())
}

#[test]
fn ten_thousand_cancelled_streams_leak_nothing() -> Result<()> {
    let home = tempfile::tempdir()?;
    let server = start(home.path(), &[])?;
    flat(&server, &[server.pid(), tritonserver(&server)], FLAT)?;
    are_free(&server)
}

#[test]
fn ten_thousand_cancelled_streams_leak_nothing_in_a_stock_tritonserver() -> Result<()> {
    let folder = env!("CARGO_TARGET_TMPDIR").as_ref();
    let server = Server::start_native(MODELS.as_ref(), folder, &[])?;
    flat(&server, &[server.pid()], FLAT)?;
    are_free(&server)
}

#[test]
fn ten_thousand_cancelled_streams_leak_nothing_in_the_embedded_engine() -> Result<()> {
    let folder = env!("CARGO_TARGET_TMPDIR").as_ref();
    let server = Server::start_with(Engine::Embedded, folder, MODELS, &[])?;
    flat(&server, &[server.pid()], EMBEDDED_FLAT)?;
    are_free(&server)
}
