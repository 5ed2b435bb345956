use std::ffi::OsStr;
use std::fs;
use std::io;
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::counts::Counts;
use crate::{CostError, Result, client, clock, valgrind};

/// The timeout for starting and ending under valgrind on a busy machine.
const SERVER_TIMEOUT: Duration = Duration::from_secs(60);

const TICK: Duration = Duration::from_millis(5);

/// A server under valgrind, killed when it is dropped.
#[derive(Debug)]
pub(crate) struct Served {
    child: Child,
    address: String,
    folder: TempDir,
}

impl Served {
    /// Starts a command and waits until it prints its HTTP address and the line `ready`.
    pub(crate) fn start(command: &[impl AsRef<OsStr>]) -> Result<Self> {
        let folder = TempDir::new()?;
        let file = |name| fs::File::create(folder.path().join(name));
        let child = valgrind::command(&folder.path().join("counts"))
            .args(command)
            .env("LD_PRELOAD", clock::build(folder.path())?)
            // The same number on every machine.
            .env("TOKIO_WORKER_THREADS", "2")
            .stdout(file("output")?)
            .stderr(file("log")?)
            .spawn();
        let mut served = Self {
            child: child.map_err(valgrind::missing)?,
            address: String::new(),
            folder,
        };
        served.address = served.wait_for("ready", |served| served.banner())?;
        Ok(served)
    }

    /// Sends requests one after the other.
    pub(crate) fn ask(&self, headers: &[String], requests: u32) -> Result<()> {
        client::ask(&self.address, headers, requests)
    }

    /// Ends the server and returns the counts.
    pub(crate) fn stop(mut self) -> Result<Counts> {
        kill_process(Pid::from_child(&self.child), Signal::TERM).map_err(io::Error::from)?;
        self.wait_for("gone", |served| Ok(served.child.try_wait()?.map(|_| ())))?;
        Counts::parse(&self.text("counts"))
    }

    fn banner(&mut self) -> Result<Option<String>> {
        let banner = self.text("output");
        let ready = banner.ends_with("\nready\n");
        let mut words = banner
            .lines()
            .filter_map(|line| line.trim().split_once(' '));
        let address = words.find_map(|(label, rest)| {
            let address = rest.trim().strip_prefix("http://")?;
            (label == "http").then(|| address.to_owned())
        });
        if !ready && self.child.try_wait()?.is_some() {
            return Err(self.late("ready"));
        }
        Ok(address.filter(|_| ready))
    }

    fn wait_for<T>(
        &mut self,
        what: &'static str,
        mut happened: impl FnMut(&mut Self) -> Result<Option<T>>,
    ) -> Result<T> {
        let begun = Instant::now();
        while begun.elapsed() < SERVER_TIMEOUT {
            if let Some(value) = happened(self)? {
                return Ok(value);
            }
            thread::sleep(TICK);
        }
        Err(self.late(what))
    }

    fn late(&self, what: &'static str) -> CostError {
        let log = self.text("log");
        CostError::Late { what, log }
    }

    fn text(&self, name: &str) -> String {
        let bytes = fs::read(self.folder.path().join(name)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // The server may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
