use std::env;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use pytriton_tests::{Result, Server, released};

use crate::abusers::{Abusers, Tally, kinds};
use crate::clients::Ordinary;
use crate::memory::Held;
use crate::probe::{Probed, Probes};
use crate::random::Random;

/// How long it lasts where `PYTRITON_ABUSE_SECONDS` says nothing.
const SECONDS: u64 = 20;

/// In which nearly every probe is answered.
const PROMPT: Duration = Duration::from_millis(50);

/// The bytes that it may hold for clients, and the most memory that it may ever have, in MiB: what is inflated, decoded or
/// copied just now is beside them.
const BUDGET: usize = 1 << 30;
const MEMORY: u64 = 1536;

/// In which nothing is left of clients that have gone away.
const GONE: Duration = Duration::from_secs(10);

/// How many descriptors more than at first it may have then: connections of clients that are still there.
const FEW: usize = 16;

/// What is under way when the server stops, and how long it may take to end.
const AGAIN: Duration = Duration::from_secs(2);
const EXIT: Duration = Duration::from_secs(20);

fn time() -> Duration {
    let seconds = env::var("PYTRITON_ABUSE_SECONDS").ok();
    let seconds = seconds.and_then(|seconds| seconds.parse().ok());
    Duration::from_secs(seconds.unwrap_or(SECONDS))
}

/// A server that says nothing of clients' mistakes: of such there are very many.
fn command(folder: &Path) -> Result<Command> {
    let mut command = Command::new(released("embedded_models", folder)?);
    command
        .args(["--http-port=0", "--grpc-port=0", "--metrics-port=0"])
        .arg(format!("--max-bytes-in-flight={BUDGET}"))
        .env("RUST_LOG", "error");
    Ok(command)
}

#[test]
fn ordinary_clients_do_not_notice() -> Result<()> {
    let mut random = Random::new();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let server = Server::spawn(&mut command(folder)?)?;
    let before = Held::by(&server);
    let probes = Probes::start(&server);
    let ordinary = Ordinary::start(&server, &mut random)?;
    let abusers = Abusers::start(&server, &kinds(), &mut random);
    thread::sleep(time());
    let under = Held::by(&server);
    let book = ordinary.stop()?;
    let probed = probes.stop();
    let heard = abusers.stop();
    let gone = left(&server, before);
    let after = Held::by(&server);

    for (abuse, heard) in &heard {
        println!("{abuse:?}: {heard:?}");
    }
    for probed in &probed {
        let errors = &probed.errors[..probed.errors.len().min(5)];
        println!("{probed}; {errors:?}");
    }
    println!("before: {before}\nunder: {under}\nafter: {after}, {gone:?} after the last of them");
    println!(
        "{} right, {} late, {} hung, {} cut, {:?}",
        book.right,
        book.late.len(),
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
    check_answers(&heard);
    assert!(after.most_memory <= MEMORY, "{after}");
    assert!(gone.is_some(), "before: {before}, after: {after}");
    assert_eq!(status.code(), Some(0), "{log}");
    Ok(())
}

/// Every probe was answered, and soon.
fn check_probes(probed: &[Probed]) {
    for probed in probed {
        assert!(probed.errors.is_empty(), "{probed}: {:?}", probed.errors);
        assert!(probed.percentile(99) < PROMPT, "{probed}");
    }
}

/// No abuser has found a fault of the server's own.
fn check_answers(heard: &Tally) {
    for (abuse, heard) in heard {
        assert!(!heard.contains_key("500"), "{abuse:?}: {heard:?}");
    }
}

/// How long the server needs until it has given back the descriptors of clients that have gone.
fn left(server: &Server, before: Held) -> Option<Duration> {
    let begun = Instant::now();
    while begun.elapsed() < GONE {
        if Held::by(server).descriptors <= before.descriptors + FEW {
            return Some(begun.elapsed());
        }
        thread::sleep(Duration::from_millis(10));
    }
    None
}

/// How it ends in the middle of it all, and what it has logged.
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
