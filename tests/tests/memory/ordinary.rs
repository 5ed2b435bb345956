use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use pytriton_tests::{Banner, Result};

use crate::http;

/// The pause between two requests.
const PAUSE: Duration = Duration::from_millis(20);

/// A client that sends small requests and expects a result for each.
pub(crate) struct Ordinary {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Served>,
}

/// The outcome of its requests.
#[derive(Debug, Default)]
pub(crate) struct Served {
    pub right: usize,
    pub longest: Duration,
    pub wrong: Vec<String>,
}

impl Ordinary {
    pub(crate) fn start(banner: &Banner) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let (stopped, address) = (Arc::clone(&stop), banner.http.clone());
        let thread = thread::spawn(move || {
            let mut served = Served::default();
            while !stopped.load(Ordering::Relaxed) {
                let begun = Instant::now();
                match is_right(&address) {
                    Ok(()) => served.right += 1,
                    Err(error) => served.wrong.push(error),
                }
                served.longest = served.longest.max(begun.elapsed());
                thread::sleep(PAUSE);
            }
            served
        });
        Self { stop, thread }
    }

    pub(crate) fn stop(self) -> Served {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap_or_default()
    }
}

fn is_right(address: &str) -> std::result::Result<(), String> {
    let input = r#"{"name":"INPUT_1","datatype":"FP32","shape":[1,2],"data":[1.5,2.5]}"#;
    let answer: Result<http::Answer> = http::infer(address, "I_FP32", input);
    match answer {
        Ok(answer) if answer.status == 200 && answer.body.contains(r#""data":[1.5,2.5]"#) => Ok(()),
        other => Err(format!("{other:?}")),
    }
}
