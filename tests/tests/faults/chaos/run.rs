use std::fs;
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use pytriton_tests::{Result, Server};

use super::fault::Fault;
use super::record::{RECOVERY, Record};
use crate::EXIT;
use crate::connection::Connection;
use crate::engine::prepare;
use crate::ledger::{Clients, Entry, Grpc, Habit, MODELS, Verdict};
use crate::process::{child, wait_until};
use crate::random::Random;
use crate::region::Region;
use crate::shell::shell;

/// The pause between two faults.
const PAUSE: Duration = Duration::from_millis(300);

/// The pause between two crashes: `--restart` waits longer after repeated crashes.
const DEATHS: Duration = Duration::from_secs(6);

/// The time limit of a restart, including its longest pause.
const RESTART: Duration = Duration::from_secs(15);

/// The number of log lines before a crash that may explain it.
const WORDS: usize = 20;

/// The requests over HTTP.
const HABITS: [Habit; 7] = [
    Habit::All,
    Habit::Narrow,
    Habit::Some,
    Habit::Wide,
    Habit::Refused,
    Habit::Large,
    Habit::All,
];

/// A server, its clients, and the injected faults.
pub(super) struct Run {
    server: Server,
    narrow: Region,
    clients: Clients,
    grpc: Grpc,
    random: Random,
    record: Record,
    /// The number of open descriptors when all processes were ready.
    descriptors: usize,
    /// The expected tritonserver.
    alive: Option<u32>,
    died: Instant,
    /// The time at which it was last seen.
    seen: Instant,
    /// Whether it may crash because of its own bugs.
    mortal: bool,
}

impl Run {
    /// Starts a server and clients. The habits of gRPC clients are defined in `ledger.py`.
    pub(super) fn start(home: &Path, habits: &str, mortal: bool) -> Result<Self> {
        let mut random = Random::new();
        let before = format!("ulimit -c unlimited && cd '{}'", home.display());
        let mut command = shell(&[], &before, "--restart");
        prepare(&mut command, home)?;
        let server = Server::spawn(&mut command)?;
        let address = &server.banner().http;
        let narrow = Region::register(address, 1)?;
        let grpc = Grpc::start(&server, narrow.name(), habits, &mut random)?;
        let clients = Clients::start(address, &MODELS, &HABITS, None, &mut random)?;
        wait_until("the first answers", EXIT, || clients.answered() > 500);
        Ok(Self {
            descriptors: descriptors(&server),
            alive: child(&server),
            died: Instant::now(),
            seen: Instant::now(),
            record: Record::default(),
            mortal,
            server,
            narrow,
            clients,
            grpc,
            random,
        })
    }

    /// Injects faults for a time.
    pub(super) fn last(&mut self, time: Duration, faults: &[Fault]) -> Result<()> {
        let begun = Instant::now();
        while begun.elapsed() < time {
            thread::sleep(self.random.moment(PAUSE));
            let fault = faults[self.random.below(faults.len())];
            if fault.is_deadly() && self.died.elapsed() < DEATHS {
                continue;
            }
            println!("{:?} {fault:?}", begun.elapsed());
            let begun = Instant::now();
            fault.happen(&self.server, &self.narrow, &mut self.random)?;
            if fault.is_deadly() {
                self.restarted()?;
            }
            self.record.note(fault, begun);
            self.returned(fault)?;
        }
        Ok(())
    }

    /// Ends the clients, and checks the results of all requests. After that, no fault explains an
    /// error.
    pub(super) fn end(mut self) -> Result<()> {
        let calls = self.grpc.end()?;
        // The last calls may have crashed tritonserver.
        self.returned(Fault::Own)?;
        let mut book = self.clients.stop();
        book.add(calls);
        println!(
            "{:?}; {} right, {} cancelled, {} errors, {} cut, {} wrong, {} hung",
            self.record.counts(),
            book.right,
            book.cancelled,
            book.failures(),
            book.cut.len(),
            book.wrong.len(),
            book.hung.len(),
        );
        println!("{:#?}", book.failed);
        self.record.check(&book);
        let address = &self.server.banner().http;
        let clients = Clients::start(address, &MODELS, &HABITS, Some(50), &mut self.random)?;
        clients.join().check_all();
        wait_until("giving back descriptors", RECOVERY, || {
            descriptors(&self.server) <= self.descriptors
        });
        self.server.signal("TERM")?;
        let (status, log) = self.server.wait(EXIT)?;
        assert_eq!(status.code(), Some(0), "{log}");
        Ok(())
    }

    /// Waits until a new tritonserver is running.
    fn restarted(&mut self) -> Result<()> {
        // It may crash again while calls are cancelled.
        wait_until("the restart", RESTART, || {
            let another = child(&self.server).filter(|child| Some(*child) != self.alive);
            let narrow = || self.narrow.register_again(&self.server.banner().http);
            another.is_some() && self.is_right() && narrow().is_ok()
        });
        self.alive = child(&self.server);
        self.died = Instant::now();
        Ok(())
    }

    /// Waits until all models respond correctly after a fault.
    fn returned(&mut self, fault: Fault) -> Result<()> {
        let over = Instant::now();
        while !self.is_right() {
            let dead = child(&self.server) != self.alive;
            assert!(
                dead || over.elapsed() < RECOVERY,
                "no return after {fault:?}: {:?}; {}",
                self.answers().collect::<Vec<_>>(),
                self.server.log()?
            );
            if dead {
                break;
            }
        }
        if child(&self.server) != self.alive {
            assert!(self.mortal, "killed by nobody: {}", self.deaths()?);
            self.restarted()?;
            self.record.note(Fault::Own, self.seen);
        }
        self.seen = Instant::now();
        Ok(())
    }

    fn is_right(&self) -> bool {
        let mut answers = self.answers();
        answers.all(|verdict| verdict.is_ok_and(|verdict| verdict == Verdict::Right))
    }

    /// Returns the responses of all models to a request.
    fn answers(&self) -> impl Iterator<Item = io::Result<Verdict>> {
        MODELS.iter().map(|model| {
            let entry = Entry::new(*model, 2);
            let address = &self.server.banner().http;
            let answer = Connection::new(address, EXIT).infer(model.name, &entry.body());
            answer.map(|answer| entry.judge(&answer))
        })
    }

    /// Returns the log lines about crashes of tritonserver.
    fn deaths(&self) -> Result<String> {
        let log = self.server.log()?;
        let lines: Vec<&str> = log.lines().collect();
        let deaths = (0..lines.len()).filter(|&line| lines[line].contains("restarting it"));
        let around = deaths.map(|line| lines[line.saturating_sub(WORDS)..=line].join("\n"));
        Ok(around.collect::<Vec<_>>().join("\n"))
    }
}

/// Returns the number of open descriptors of the two processes.
fn descriptors(server: &Server) -> usize {
    let processes = [Some(server.pid()), child(server)].into_iter().flatten();
    let folders = processes.map(|id| fs::read_dir(format!("/proc/{id}/fd")));
    folders.flatten().map(Iterator::count).sum()
}
