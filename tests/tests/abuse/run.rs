use std::env;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use pytriton_tests::{Result, Server, released};

use crate::abusers::{Abusers, Tally, kinds};
use crate::clients::Ordinary;
use crate::memory::ProcessResources;
use crate::probe::{Probed, Probes};
use crate::random::Random;

/// The default of `PYTRITON_ABUSE_SECONDS`.
const SECONDS: u64 = 20;

/// The time limit of nearly every probe.
const PROMPT: Duration = Duration::from_millis(50);

/// The limit of the server for client data in bytes, and the limit of its memory in MiB. Data that
/// is being inflated, decoded or copied is not part of the former.
const BUDGET: usize = 1 << 30;
const MEMORY: u64 = 1536;

/// The time limit for releasing all resources of disconnected clients.
const GONE: Duration = Duration::from_secs(10);

/// The number of additional descriptors after that: connections of remaining clients.
const EXTRA_DESCRIPTORS: usize = 16;

/// The duration of the load before the server stops, and the time limit for its end.
const AGAIN: Duration = Duration::from_secs(2);
const EXIT: Duration = Duration::from_secs(20);

fn time() -> Duration {
    let seconds = env::var("PYTRITON_ABUSE_SECONDS").ok();
    let seconds = seconds.and_then(|seconds| seconds.parse().ok());
    Duration::from_secs(seconds.unwrap_or(SECONDS))
}

/// Returns a server that does not log client errors, because there are very many.
fn command(folder: &Path) -> Result<Command> {
    let mut command = Command::new(released("embedded_models", folder)?);
    command
        .args(["--http-port=0", "--grpc-port=0", "--metrics-port=0"])
        .arg(format!("--max-bytes-in-flight={BUDGET}"))
        .env("RUST_LOG", "error");
    Ok(command)
}

#[test]
fn abuse_does_not_affect_ordinary_clients() -> Result<()> {
    let mut random = Random::new();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let server = Server::spawn(&mut command(folder)?)?;
    let before = ProcessResources::by(&server);
    let probes = Probes::start(&server);
    let ordinary = Ordinary::start(&server, &mut random)?;
    let abusers = Abusers::start(&server, &kinds(), &mut random);
    thread::sleep(time());
    let under = ProcessResources::by(&server);
    let book = ordinary.stop()?;
    let probed = probes.stop();
    let outcomes = abusers.stop();
    let descriptors_closed_after = left(&server, before);
    let after = ProcessResources::by(&server);

    for (abuse, outcomes) in &outcomes {
        println!("{abuse:?}: {outcomes:?}");
    }
    for probed in &probed {
        let errors = &probed.errors[..probed.errors.len().min(5)];
        println!("{probed}; {errors:?}");
    }
    println!(
        "before: {before}\nunder: {under}\nafter: {after}, {descriptors_closed_after:?} after the last of them"
    );
    println!(
        "{} right, late: {:?}, {} hung, {} cut, {:?}",
        book.right,
        book.late,
        book.hung.len(),
        book.cut.len(),
        book.failed
    );

    let again = Ordinary::start(&server, &mut random)?;
    thread::sleep(AGAIN);
    let again = again.stop()?;
    let (status, log) = stops(server, &mut random)?;

    book.check_all();
    again.check_all();
    check_probes(&probed);
    check_answers(&outcomes);
    assert!(after.most_memory <= MEMORY, "{after}");
    assert!(
        descriptors_closed_after.is_some(),
        "before: {before}, after: {after}"
    );
    assert_eq!(status.code(), Some(0), "{log}");
    Ok(())
}

/// Every probe must succeed in time.
fn check_probes(probed: &[Probed]) {
    for probed in probed {
        assert!(probed.errors.is_empty(), "{probed}: {:?}", probed.errors);
        assert!(probed.percentile(99) < PROMPT, "{probed}");
    }
}

/// No abuser may receive an internal server error.
fn check_answers(outcomes: &Tally) {
    for (abuse, outcomes) in outcomes {
        assert!(!outcomes.contains_key("500"), "{abuse:?}: {outcomes:?}");
    }
}

/// Returns the time until the server has closed the descriptors of disconnected clients.
fn left(server: &Server, before: ProcessResources) -> Option<Duration> {
    let begun = Instant::now();
    while begun.elapsed() < GONE {
        if ProcessResources::by(server).descriptors <= before.descriptors + EXTRA_DESCRIPTORS {
            return Some(begun.elapsed());
        }
        thread::sleep(Duration::from_millis(10));
    }
    None
}

/// Stops a server under load, and returns its exit status and its log.
fn stops(server: Server, random: &mut Random) -> Result<(ExitStatus, String)> {
    let abusers = Abusers::start(&server, &kinds(), random);
    thread::sleep(AGAIN);
    let begun = Instant::now();
    server.signal("TERM")?;
    let (status, log) = server.wait(EXIT)?;
    println!("{status} after {:?}", begun.elapsed());
    drop(abusers);
    Ok((status, log))
}
