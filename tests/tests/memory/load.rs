use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};

use pytriton_tests::Banner;

use crate::costly::Costly;

/// The number of responses of each kind, per request.
pub(crate) type Tally = BTreeMap<&'static str, BTreeMap<String, usize>>;

/// Clients that send costly requests one after another, each on its own connection.
pub(crate) struct Load {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<Tally>>,
}

impl Load {
    /// Starts clients that take turns in sending the requests.
    pub(crate) fn start(clients: usize, requests: &Arc<Vec<Costly>>, banner: &Banner) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let next = Arc::new(AtomicUsize::new(0));
        let threads = (0..clients).map(|_| {
            let (requests, banner) = (Arc::clone(requests), banner.clone());
            let (stop, next) = (Arc::clone(&stop), Arc::clone(&next));
            thread::spawn(move || {
                let mut tally = Tally::new();
                while !stop.load(Ordering::Relaxed) {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let costly = &requests[number % requests.len()];
                    let came = costly.send(&banner);
                    let came = came.unwrap_or_else(|error| error.kind().to_string());
                    let counts = tally.entry(costly.name).or_default();
                    *counts.entry(came).or_default() += 1;
                }
                tally
            })
        });
        Self {
            threads: threads.collect(),
            stop,
        }
    }

    /// Stops the clients.
    pub(crate) fn stop(self) -> Tally {
        self.stop.store(true, Ordering::Relaxed);
        let mut all = Tally::new();
        for thread in self.threads {
            for (name, came) in thread.join().unwrap_or_default() {
                let counts = all.entry(name).or_default();
                for (what, count) in came {
                    *counts.entry(what).or_default() += count;
                }
            }
        }
        all
    }
}
