//! Memory of large tensors is released when the server is idle, and not between two requests.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use pytriton_tests::{Result, Server};

use crate::MODELS;
use crate::engine::start;
use crate::process::tritonserver;
use crate::resource_exhaustion::identity;

/// The size of the tensors.
const BYTES: usize = 16 << 20;

/// The number of concurrent clients, and of requests of each.
const CLIENTS: usize = 4;
const ROUNDS: usize = 4;

/// The time limit for releasing the memory.
const IDLE: Duration = Duration::from_secs(10);

/// The limit of tritonserver's own heap in MiB: about 35 with the defaults of glibc, more if that
/// is faster.
const HEAP: u64 = 256;

/// The tolerance in MiB, in addition to a fifth.
const CHANCE: u64 = 2;

/// The resident memory of a process, in MiB.
#[derive(Debug)]
struct Resident {
    own: u64,
    files: u64,
    shared: u64,
}

impl Resident {
    fn of(id: u32) -> Self {
        let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        let number = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let line = line.unwrap_or_else(|| panic!("{id} has no {name}"));
            let kilobytes = line.split_whitespace().next().unwrap_or_default().parse();
            kilobytes.unwrap_or(0_u64) >> 10
        };
        Self {
            own: number("RssAnon:"),
            files: number("RssFile:"),
            shared: number("RssShmem:"),
        }
    }

    /// Returns the memory of this engine's process and of tritonserver.
    fn both(server: &Server) -> [Self; 2] {
        [server.pid(), tritonserver(server)].map(Self::of)
    }

    fn all(&self) -> u64 {
        self.own + self.files + self.shared
    }
}

fn send(server: &Server, bytes: usize) -> Result<()> {
    let address = &server.banner().http;
    thread::scope(|scope| {
        let clients = [(); CLIENTS].map(|()| {
            scope.spawn(|| {
                for _ in 0..ROUNDS {
                    let answer = identity(address, "I_UINT8", bytes)?;
                    assert_eq!(answer.status, 200);
                    assert!(answer.body.len() > bytes);
                }
                Ok(())
            })
        });
        clients
            .into_iter()
            .try_for_each(|client| match client.join() {
                Ok(sent) => sent,
                Err(_) => panic!("a client panicked"),
            })
    })
}

/// Memory must return to within a fifth of that after small requests, except for what tritonserver
/// keeps.
#[test]
fn memory_is_released_within_ten_seconds() -> Result<()> {
    let home = tempfile::tempdir()?;
    let server = start(home.path(), &[])?;
    send(&server, 1)?;
    let [ours, theirs] = Resident::both(&server);
    send(&server, BYTES)?;
    let begun = Instant::now();
    loop {
        let [ours_now, theirs_now] = Resident::both(&server);
        if ours_now.all() <= ours.all() * 12 / 10 + CHANCE
            && theirs_now.shared <= theirs.shared * 12 / 10 + CHANCE
            && theirs_now.own <= theirs.own + HEAP
        {
            break;
        }
        assert!(
            begun.elapsed() < IDLE,
            "{ours_now:?} after {ours:?}, {theirs_now:?} after {theirs:?}"
        );
        thread::sleep(Duration::from_millis(50));
    }
    // Memory grows again when it is needed.
    send(&server, BYTES)
}

/// The size of a picture: by default, glibc releases the buffers of such a request each time.
const PICTURE: usize = 256 << 10;
const PICTURES: u64 = 300;

/// The page faults that a request may cause: those of a connection, not the 64 and more of a
/// buffer.
const PAGES: u64 = 16;

fn faults(id: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    let (_, behind_the_name) = stat.rsplit_once(") ").unwrap_or_default();
    let faults = behind_the_name.split(' ').nth(7);
    faults.and_then(|faults| faults.parse().ok()).unwrap_or(0)
}

#[test]
fn request_buffers_are_reused() -> Result<()> {
    let server = Server::start(MODELS, &[])?;
    send(&server, 1)?;
    send(&server, PICTURE)?;
    let before = faults(server.pid());
    for _ in 0..PICTURES {
        let answer = identity(&server.banner().http, "I_UINT8", PICTURE)?;
        assert_eq!(answer.status, 200);
    }
    let each = (faults(server.pid()) - before) / PICTURES;
    assert!(each <= PAGES, "{each} pages are faulted in for a request");
    Ok(())
}
