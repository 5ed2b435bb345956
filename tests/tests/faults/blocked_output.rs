//! Disks that become full, and logs that are no longer read, while a server runs.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use pytriton_tests::{Engine, Result, Server};

use crate::engine::{prepare, workspaces};
use crate::process::{child, kill, wait_until};
use crate::resource_exhaustion::LIMIT;
use crate::shell::{NAMESPACE, disk, shell};
use crate::{EXIT, http};

/// The maximum file size of a shell with [`LIMIT`].
const LARGEST: u64 = 16 << 20;

/// The time limit of a request while the log is blocked.
const RESPONDED: Duration = Duration::from_secs(5);

/// The number and the size of log lines that fill the buffer of a pipe (64 KiB) and the queue of
/// the log (1 MiB) more than once.
const LONG_LINES: usize = 320;
const LONG_LINE_BYTES: usize = 7 << 10;

/// Makes the server write to its log, and checks that it still responds.
fn serves(server: &Server) -> Result<()> {
    let address = &server.banner().http;
    let input = r#"{"name":"INPUT_1","datatype":"FP32","shape":[1,1],"data":[-1]}"#;
    for _ in 0..3 {
        let failed = http::infer(address, "Panic", input)?;
        assert_eq!(failed.status, 500, "{failed:?}");
        assert!(failed.body.contains("-1 is below zero"), "{failed:?}");
    }
    assert!(http::right(address));
    Ok(())
}

/// Makes the server write more to its log than a pipe and its own queue can hold.
fn serves_with_full_buffers(server: &Server) -> Result<()> {
    let text = "x".repeat(LONG_LINE_BYTES);
    let inputs = format!(
        r#"{{"name":"how","datatype":"BOOL","shape":[1],"data":[true]}},{{"name":"text","datatype":"BYTES","shape":[1],"data":["{text}"]}}"#
    );
    for _ in 0..LONG_LINES {
        let begun = Instant::now();
        let failed = http::infer(&server.banner().http, "Echo", &inputs)?;
        assert_eq!(failed.status, 500, "{failed:?}");
        assert!(begun.elapsed() < RESPONDED, "{:?}", begun.elapsed());
    }
    serves(server)
}

/// Returns whether a pipe has no free page. Its last one may not be full.
fn is_full(pipe: &Path) -> Result<bool> {
    let nonblocking = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let mut options = OpenOptions::new();
    let mut pipe = options.write(true).custom_flags(nonblocking).open(pipe)?;
    let written = pipe.write(&[b'x'; 4096]);
    Ok(written.is_err_and(|error| error.kind() == ErrorKind::WouldBlock))
}

fn stops(server: Server) -> Result<()> {
    server.signal("TERM")?;
    let (status, log) = server.wait(EXIT)?;
    assert_eq!(status.code(), Some(0), "{status} {log}");
    Ok(())
}

/// Creates a file to which a process with [`LIMIT`] cannot append.
fn full(path: &Path) -> Result<()> {
    let file = OpenOptions::new().append(true).create(true).open(path)?;
    Ok(file.set_len(LARGEST)?)
}

#[test]
fn a_blocked_log_delays_no_request() -> Result<()> {
    let table = [
        ("true", "--log-file=/dev/full", "2>/dev/full"),
        ("true", "", "2>&-"),
        // A reader that reads a few lines and exits.
        (
            "mkfifo pipe && { head -n 3 <pipe >/dev/null & }",
            "",
            "2>pipe",
        ),
        (LIMIT, "--log-file=full", "2>>full"),
    ];
    for (before, own, errors) in table {
        for engine in [Engine::Embedded, Engine::Tritonserver] {
            let home = tempfile::tempdir()?;
            full(&home.path().join("full"))?;
            // Here, the log file is tritonserver's own.
            let own = if engine == Engine::Tritonserver {
                own
            } else {
                ""
            };
            let mut command = shell(&[], before, &format!("--log-verbose=1 {own} {errors}"));
            if engine == Engine::Tritonserver {
                prepare(&mut command, home.path())?;
            }
            let server = Server::spawn(command.current_dir(home.path()))?;
            serves(&server)?;
            stops(server)?;
        }
    }
    Ok(())
}

/// Unlike the outputs above, which fail or are read, this one blocks the thread that writes.
#[test]
fn a_log_that_nothing_reads_delays_no_request() -> Result<()> {
    // Keeps the pipe open until the server ends.
    let before = "mkfifo pipe && { tail --pid=$$ -f /dev/null <pipe >/dev/null 2>&1 & }";
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        let home = tempfile::tempdir()?;
        let mut command = shell(&[], before, "--log-verbose=1 2>pipe");
        if engine == Engine::Tritonserver {
            prepare(&mut command, home.path())?;
        }
        let server = Server::spawn(command.current_dir(home.path()))?;
        serves_with_full_buffers(&server)?;
        assert!(is_full(&home.path().join("pipe"))?, "{engine:?}");
        stops(server)?;
    }
    Ok(())
}

/// A small disk or a limited log that can be filled.
struct Disk {
    home: PathBuf,
    wrapper: &'static [&'static str],
    before: String,
}

impl Disk {
    fn new(home: &Path) -> Self {
        let home = home.to_owned();
        match disk(&home, "8m") {
            Some(before) => Self {
                home,
                wrapper: &NAMESPACE,
                before,
            },
            None => Self {
                home,
                wrapper: &[],
                before: LIMIT.to_owned(),
            },
        }
    }

    fn command(&self, arguments: &str) -> Result<Command> {
        let before = format!("{} && cd '{}'", self.before, self.home.display());
        let mut command = shell(self.wrapper, &before, arguments);
        prepare(&mut command, &self.home)?;
        Ok(command)
    }

    /// Opens the directory as the server sees it; the path is valid while the file is open.
    fn open(&self, server: &Server) -> Result<(File, PathBuf)> {
        let folder = format!("/proc/{}/root{}", server.pid(), self.home.display());
        let folder = File::open(folder)?;
        let path = PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd()));
        Ok((folder, path))
    }

    fn fill(&self, path: &Path) -> Result<()> {
        if self.wrapper.is_empty() {
            return full(&path.join("log"));
        }
        for name in ["filling", "log", "theirs"] {
            let mut file = OpenOptions::new()
                .append(true)
                .create(true)
                .open(path.join(name))?;
            for size in [4096, 1] {
                while file.write_all(&[7; 4096][..size]).is_ok() {}
            }
        }
        assert!(fs::write(path.join("another"), "x").is_err());
        Ok(())
    }
}

#[test]
fn full_disk_does_not_end_the_server() -> Result<()> {
    let home = tempfile::tempdir()?;
    let disk = Disk::new(home.path());
    let server =
        Server::spawn(&mut disk.command("--restart --log-verbose=1 --log-file=theirs 2>>log")?)?;
    let (_open, path) = disk.open(&server)?;
    assert_eq!(workspaces(&path).len(), 1);
    serves(&server)?;
    disk.fill(&path)?;
    let size = || fs::metadata(path.join("log")).map_or(0, |log| log.len());
    let before = size();
    serves(&server)?;
    assert_eq!(size(), before);
    // A restarted tritonserver must not need to write files.
    let old = child(&server);
    assert!(old.is_some());
    kill(old.unwrap_or_default())?;
    wait_until("the restart", EXIT, || {
        child(&server) != old && http::right(&server.banner().http)
    });
    serves(&server)?;
    stops(server)?;
    assert!(workspaces(&path).is_empty());
    Ok(())
}
