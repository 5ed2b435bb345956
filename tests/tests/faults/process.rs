use std::fs;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use pytriton_tests::{Result, Server};

/// Returns the process ID of a server's tritonserver if it is running.
pub(crate) fn child(server: &Server) -> Option<u32> {
    let tasks = fs::read_dir(format!("/proc/{}/task", server.pid()));
    tasks
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|task| fs::read_to_string(task.path().join("children")).ok())
        .find_map(|children| children.split_whitespace().next()?.parse().ok())
}

/// Returns the process ID of a server's tritonserver, which must be running.
pub(crate) fn tritonserver(server: &Server) -> u32 {
    child(server).unwrap_or_else(|| panic!("{} has no child", server.pid()))
}

/// `kill -9`.
pub(crate) fn kill(id: u32) -> Result<()> {
    signal("KILL", id)
}

/// Sends a signal.
pub(crate) fn signal(name: &str, id: u32) -> Result<()> {
    // The `kill` of the shell, because the program may not be installed.
    let command = format!("kill -{name} {id}");
    Command::new("sh").args(["-c", &command]).status()?;
    Ok(())
}

/// Returns the running processes of a group.
pub(crate) fn group(leader: u32) -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.filter(|id| {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        let fields = stat.rsplit(") ").next().unwrap_or_default();
        let mut fields = fields.split(' ');
        // A zombie waits for a parent outside of this test.
        fields.next() != Some("Z") && fields.nth(1) == Some(&leader.to_string())
    })
    .collect()
}

/// Returns whether a process has a file of `/dev/shm` open or mapped.
pub(crate) fn has_named_memory(id: u32) -> bool {
    let maps = fs::read_to_string(format!("/proc/{id}/maps")).unwrap_or_default();
    assert!(!maps.is_empty(), "{id} is not there");
    let descriptors = fs::read_dir(format!("/proc/{id}/fd"));
    let mut targets = descriptors
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| fs::read_link(entry.path()).ok());
    maps.contains("/dev/shm/") || targets.any(|target| target.starts_with("/dev/shm"))
}

/// Waits for a condition, and returns the time that it took.
pub(crate) fn wait_until(what: &str, deadline: Duration, done: impl Fn() -> bool) -> Duration {
    let begun = Instant::now();
    while !done() {
        let took = begun.elapsed();
        assert!(took < deadline, "{what} took longer than {deadline:?}");
        thread::sleep(Duration::from_millis(2));
    }
    begun.elapsed()
}
