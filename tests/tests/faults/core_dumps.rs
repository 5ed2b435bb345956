//! Crashes with core dumps enabled: dumps must not contain shared memory.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use pytriton_tests::{Result, Server};

use crate::engine::prepare;
use crate::process::{group, signal, tritonserver, wait_until};
use crate::resource_exhaustion::identity;
use crate::shell::shell;
use crate::{EXIT, http};

/// The size of the tensors before the crash.
const BYTES: usize = 16 << 20;

/// The maximum size of a dump: tritonserver's own memory keeps several tensors for reuse.
const DUMP: u64 = 256 << 20;

/// The time limit for the end of a process: the kernel writes its dump first, and the disk may be
/// busy.
const DUMPED: Duration = Duration::from_secs(20);

/// Starts a server in a directory of its own, and sends large tensors.
fn start(home: &Path, arguments: &str) -> Result<Server> {
    let before = format!("ulimit -c unlimited && cd '{}'", home.display());
    let mut command = shell(&[], &before, arguments);
    prepare(&mut command, home)?;
    let server = Server::spawn(&mut command)?;
    for _ in 0..3 {
        let answer = identity(&server.banner().http, "I_UINT8", BYTES)?;
        assert_eq!(answer.status, 200);
    }
    Ok(server)
}

/// Returns the size of the dump in a directory, or `None` if dumps are written elsewhere.
fn dump(folder: &Path) -> Result<Option<u64>> {
    let pattern = fs::read_to_string("/proc/sys/kernel/core_pattern")?;
    if pattern.trim_end() != "core" {
        return Ok(None);
    }
    let dumps = fs::read_dir(folder)?.flatten();
    let dumps = dumps.filter(|entry| entry.file_name().to_string_lossy().starts_with("core"));
    Ok(Some(
        dumps
            .filter_map(|dump| dump.metadata().ok())
            .map(|dump| dump.blocks() * 512)
            .sum(),
    ))
}

fn is_small(folder: &Path) -> Result<()> {
    if let Some(bytes) = dump(folder)? {
        assert!(bytes > 0, "there is no dump");
        assert!(bytes < DUMP, "a dump of {} MiB", bytes >> 20);
    }
    Ok(())
}

#[test]
fn dump_of_tritonserver_excludes_shared_memory() -> Result<()> {
    let home = tempfile::tempdir()?;
    let server = start(home.path(), "")?;
    let id = tritonserver(&server);
    signal("SEGV", id)?;
    let (status, log) = server.wait(DUMPED)?;
    assert_eq!(status.code(), Some(1), "{log}");
    let expected = "error: tritonserver was killed by signal 11";
    assert!(log.contains(expected), "{log}");
    assert!(group(id).is_empty());
    is_small(home.path())
}

#[test]
fn dump_of_a_restarted_tritonserver_excludes_shared_memory() -> Result<()> {
    let home = tempfile::tempdir()?;
    let server = start(home.path(), "--restart")?;
    let id = tritonserver(&server);
    signal("SEGV", id)?;
    wait_until("the news of its end", DUMPED, || {
        let log = server.log().unwrap_or_default();
        log.contains("killed by signal 11 (SIGSEGV)") && log.contains("restarting it in ")
    });
    wait_until("the restart", EXIT, || http::right(&server.banner().http));
    is_small(home.path())
}

#[test]
fn dump_of_the_worker_excludes_shared_memory() -> Result<()> {
    let home = tempfile::tempdir()?;
    let server = start(home.path(), "")?;
    let id = tritonserver(&server);
    server.signal("ABRT")?;
    wait_until("the end of tritonserver", DUMPED, || group(id).is_empty());
    server.wait(DUMPED)?;
    is_small(home.path())
}
