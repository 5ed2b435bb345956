use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use pytriton_tests::Server;

use crate::abuse::{ALL, Abuse};
use crate::random::Random;
use crate::scene::Scene;

/// The number of concurrent abusers.
const ABUSERS: usize = 8;

/// Responses and their counts.
pub(crate) type Tally = BTreeMap<Abuse, BTreeMap<String, usize>>;

/// Misbehaving clients with one thread each.
pub(crate) struct Abusers {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<Tally>>,
}

impl Abusers {
    /// Starts clients that run these kinds one after the other until they are stopped.
    pub(crate) fn start(server: &Server, kinds: &[Abuse], random: &mut Random) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let threads = (0..ABUSERS).map(|_| {
            let first = random.below(kinds.len());
            let mut scene = Scene {
                http: address(&server.banner().http),
                grpc: address(&server.banner().grpc),
                metrics: address(&server.banner().metrics),
                random: random.branch(),
                stop: Arc::clone(&stop),
            };
            let kinds = kinds.to_vec();
            thread::spawn(move || {
                let mut tally = Tally::new();
                for abuse in kinds.into_iter().cycle().skip(first) {
                    if scene.is_over() {
                        break;
                    }
                    note(tally.entry(abuse).or_default(), abuse.happen(&mut scene));
                }
                tally
            })
        });
        Self {
            threads: threads.collect(),
            stop,
        }
    }

    /// Stops the clients, and returns the responses.
    pub(crate) fn stop(mut self) -> Tally {
        self.stop.store(true, Ordering::Relaxed);
        let mut all = Tally::new();
        for thread in self.threads.drain(..) {
            for (abuse, outcomes) in thread.join().unwrap_or_default() {
                let counts = all.entry(abuse).or_default();
                for (what, count) in outcomes {
                    *counts.entry(what).or_default() += count;
                }
            }
        }
        all
    }
}

impl Drop for Abusers {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

fn address(text: &str) -> SocketAddr {
    // Addresses in the banner have this format.
    text.parse()
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn note(counts: &mut BTreeMap<String, usize>, outcomes: io::Result<Vec<String>>) {
    let outcomes = outcomes.unwrap_or_else(|error| vec![error.kind().to_string()]);
    for what in outcomes.into_iter().chain(["times".to_owned()]) {
        *counts.entry(what).or_default() += 1;
    }
}

/// Returns the kinds in `PYTRITON_ABUSE_KINDS`, or by default all.
pub(crate) fn kinds() -> Vec<Abuse> {
    let named = std::env::var("PYTRITON_ABUSE_KINDS").unwrap_or_default();
    let is_named = |abuse: &Abuse| named.split(',').any(|name| name == format!("{abuse:?}"));
    let some: Vec<Abuse> = ALL.into_iter().filter(is_named).collect();
    if some.is_empty() { ALL.to_vec() } else { some }
}
