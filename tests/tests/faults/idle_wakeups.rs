//! An idle server must not wake up.

use std::collections::BTreeMap;
use std::fs;
use std::thread;
use std::time::Duration;

use pytriton_tests::{Result, Server};

use crate::MODELS as BINARY;
use crate::engine::start;
use crate::ledger::{Clients, Habit, MODELS};
use crate::process::tritonserver;
use crate::random::Random;

/// The time without wake-ups.
const WINDOW: Duration = Duration::from_secs(3);

/// The number of windows until one must be quiet: memory is released once after a load.
const WINDOWS: usize = 4;

/// The maximum difference between two servers with the same threads in a window.
const CHANCE: u64 = 25;

/// Returns the name and the number of voluntary context switches of each thread of a process.
fn sleeps(id: u32) -> BTreeMap<u32, (String, u64)> {
    let tasks = fs::read_dir(format!("/proc/{id}/task"));
    let tasks = tasks.into_iter().flatten().flatten();
    let sleeps = tasks.filter_map(|task| {
        let number = task.file_name().to_str()?.parse().ok()?;
        let name = fs::read_to_string(task.path().join("comm")).ok()?;
        let status = fs::read_to_string(task.path().join("status")).ok()?;
        let mut lines = status.lines();
        let count = lines.find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))?;
        Some((
            number,
            (name.trim_end().to_owned(), count.trim().parse().ok()?),
        ))
    });
    sleeps.collect()
}

/// Returns the number of wake-ups of threads by name.
fn wakes(
    before: &BTreeMap<u32, (String, u64)>,
    after: &BTreeMap<u32, (String, u64)>,
) -> BTreeMap<String, u64> {
    let mut wakes = BTreeMap::new();
    for (number, (name, count)) in after {
        let earlier = before.get(number).map_or(0, |(_, count)| *count);
        if *count > earlier {
            *wakes.entry(name.clone()).or_default() += count - earlier;
        }
    }
    wakes
}

fn load(server: &Server) -> Result<()> {
    let (address, mut random) = (&server.banner().http, Random::new());
    let clients = Clients::start(address, &MODELS, &[Habit::All; 8], Some(50), &mut random)?;
    clients.join().check_all();
    Ok(())
}

/// tritonserver's own threads wake up intermittently, as often as in a stock server with the same
/// models.
#[test]
fn idle_process_does_not_wake_up() -> Result<()> {
    let home = tempfile::tempdir()?;
    let server = start(home.path(), &[])?;
    let folder = env!("CARGO_TARGET_TMPDIR").as_ref();
    let stock = Server::start_native(BINARY.as_ref(), folder, &[])?;
    load(&server)?;
    load(&stock)?;
    let child = tritonserver(&server);
    let processes = [server.pid(), child, stock.pid()];
    let mut seen = Vec::new();
    for _ in 0..WINDOWS {
        let before = processes.map(sleeps);
        thread::sleep(WINDOW);
        let after = processes.map(sleeps);
        let [ours, mut theirs, stock] = [0, 1, 2].map(|n| wakes(&before[n], &after[n]));
        theirs.retain(|name, count| {
            let usual = stock.get(name).copied().unwrap_or_default();
            name.starts_with("pytriton") || *count > usual + CHANCE
        });
        if ours.is_empty() && theirs.is_empty() {
            return Ok(());
        }
        seen.push((ours, theirs, stock));
    }
    panic!("in each of {WINDOWS} windows of {WINDOW:?} something woke: {seen:#?}");
}
