//! Everything at once, at random: under load, whatever happens, no answer is wrong and none is lost without an error.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use pytriton_tests::{Result, Server};

use crate::EXIT;
use crate::connection::Connection;
use crate::engine::{prepare, workspaces};
use crate::fault::Fault;
use crate::ledger::{Book, Clients, Entry, Grpc, Habit, MODELS, Span, Verdict};
use crate::process::{child, wait_until};
use crate::random::Random;
use crate::region::Region;
use crate::shell::shell;

/// How long faults happen where the environment says nothing.
const SECONDS: u64 = 20;

/// The pause between two faults.
const PAUSE: Duration = Duration::from_millis(300);

/// The pause between two deaths: `--restart` takes the longer the more there are.
const DEATHS: Duration = Duration::from_secs(6);

/// What a restart may take, with the longest of its pauses.
const RESTART: Duration = Duration::from_secs(15);

/// In which everything is as before after a fault: the second that it may take, and another for a machine that is busy.
const RECOVERY: Duration = Duration::from_secs(2);

/// How many lines before its end tell of it.
const WORDS: usize = 20;

/// What is asked for.
const HABITS: [Habit; 7] = [
    Habit::All,
    Habit::Narrow,
    Habit::Some,
    Habit::Wide,
    Habit::Refused,
    Habit::Large,
    Habit::All,
];

/// When faults happened, and how long they lasted.
#[derive(Debug, Default)]
struct Faults {
    spans: Vec<(Instant, Instant, Fault)>,
}

impl Faults {
    /// Whether something that was under way then may have suffered from a fault of some kind.
    fn excuse(&self, kind: impl Fn(Fault) -> bool, begun: Instant, ended: Instant) -> bool {
        let mut spans = self.spans.iter().filter(|(.., fault)| kind(*fault));
        spans.any(|(from, to, _)| ended >= *from && begun <= *to + RECOVERY)
    }

    fn counts(&self) -> BTreeMap<Fault, usize> {
        let mut counts = BTreeMap::new();
        for (.., fault) in &self.spans {
            *counts.entry(*fault).or_default() += 1;
        }
        counts
    }

    /// Nothing failed, nothing was cut off and nothing took long but by a fault that can do that.
    fn check(&self, book: &Book) {
        book.check();
        let mut failed = book.failed_at.iter();
        let failed = failed.find(|at| !self.excuse(Fault::fails, **at, **at));
        assert!(failed.is_none(), "{:?} without a fault", book.failed);
        let without = |spans: &[Span], kind: fn(Fault) -> bool| {
            let mut spans = spans.iter();
            let span = spans.find(|span| !self.excuse(kind, span.begun, span.ended));
            span.map(|span| format!("{span:?}"))
        };
        let cut = without(&book.cut, Fault::is_deadly);
        assert_eq!(cut, None, "lost without an error");
        let late = without(&book.late, Fault::delays);
        assert_eq!(late, None, "later than an error may come");
    }
}

fn descriptors(server: &Server) -> usize {
    let processes = [Some(server.pid()), child(server)].into_iter().flatten();
    let counts =
        processes.map(|id| fs::read_dir(format!("/proc/{id}/fd")).map_or(0, Iterator::count));
    counts.sum()
}

fn all_right(address: &str) -> bool {
    MODELS.iter().all(|model| {
        let entry = Entry::new(*model, 2);
        let answer = Connection::new(address, EXIT).infer(model.name, &entry.body());
        answer.is_ok_and(|answer| entry.judge(&answer) == Verdict::Right)
    })
}

/// What the server has said of tritonserver's ends.
fn deaths(server: &Server) -> Result<String> {
    let log = server.log()?;
    let lines: Vec<&str> = log.lines().collect();
    let deaths = (0..lines.len()).filter(|&line| lines[line].contains("it is started again"));
    let around = deaths.map(|line| lines[line.saturating_sub(WORDS)..=line].join("\n"));
    Ok(around.collect::<Vec<_>>().join("\n"))
}

fn start(home: &Path) -> Result<Server> {
    let before = format!("ulimit -c unlimited && cd '{}'", home.display());
    let mut command = shell(&[], &before, "--restart");
    prepare(&mut command, home)?;
    Server::spawn(&mut command)
}

#[test]
fn under_load_every_request_is_answered_rightly_or_has_an_error() -> Result<()> {
    let home = tempfile::tempdir()?;
    let mut random = Random::new();
    let seconds = env::var("PYTRITON_FAULTS_SECONDS").ok();
    let seconds = seconds
        .and_then(|seconds| seconds.parse().ok())
        .unwrap_or(SECONDS);
    let server = start(home.path())?;
    let address = &server.banner().http;
    let narrow = Region::register(address, 1)?;
    let mut grpc = Grpc::start(&server, &narrow, &mut random)?;
    let clients = Clients::start(address, &MODELS, &HABITS, None, &mut random)?;
    wait_until("the first answers", EXIT, || clients.answered() > 500);
    let before = descriptors(&server);

    let mut faults = Faults::default();
    let (begun, mut died) = (Instant::now(), Instant::now());
    let mut alive = child(&server);
    while begun.elapsed() < Duration::from_secs(seconds) {
        thread::sleep(random.moment(PAUSE));
        let fault = Fault::any(&mut random);
        if fault.is_deadly() && died.elapsed() < DEATHS {
            continue;
        }
        let from = Instant::now();
        assert_eq!(
            child(&server),
            alive,
            "killed by nobody: {}",
            deaths(&server)?
        );
        println!("{:?} {fault:?}", begun.elapsed());
        fault.happen(&server, &narrow, &mut random)?;
        if fault.is_deadly() {
            wait_until("the restart", RESTART, || {
                child(&server).is_some_and(|child| Some(child) != alive) && all_right(address)
            });
            alive = child(&server);
            narrow.register_again(address)?;
            died = Instant::now();
        }
        faults.spans.push((from, Instant::now(), fault));
        wait_until(&format!("the return after {fault:?}"), RECOVERY, || {
            all_right(address)
        });
    }

    let mut book = clients.stop();
    book.add(grpc.end()?);
    println!(
        "{seconds} s: {:?}; {} right, {} cancelled, {} errors, {} cut, {} wrong, {} hung",
        faults.counts(),
        book.right,
        book.cancelled,
        book.failures(),
        book.cut.len(),
        book.wrong.len(),
        book.hung.len(),
    );
    println!("{:#?}", book.failed);
    faults.check(&book);
    // From here on, there is nothing that would excuse an error.
    Clients::start(address, &MODELS, &HABITS, Some(50), &mut random)?
        .join()
        .check_all();
    wait_until("giving back descriptors", RECOVERY, || {
        descriptors(&server) <= before
    });
    server.signal("TERM")?;
    let (status, log) = server.wait(EXIT)?;
    assert_eq!(status.code(), Some(0), "{log}");
    assert!(workspaces(home.path()).is_empty());
    Ok(())
}
