use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{self, Command, ExitStatus, Stdio};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::sync::watch;
use tokio::time::timeout;

use super::crash::{crash, is_in_handler};
use super::output::Output;
use super::{ExitReport, LogFile, ffi};

/// How long to wait for the last output of a dead child. Other processes may hold its output open.
const OUTPUT_TIMEOUT: Duration = Duration::from_millis(300);

/// How long a crashing child may take to exit.
const CRASH_EXIT_TIMEOUT: Duration = Duration::from_secs(5);

/// A child in its own process group that does not outlive this process.
///
/// Dropping it kills the whole group.
#[derive(Debug)]
pub struct Child {
    group: Arc<Mutex<Group>>,
    status: watch::Receiver<Option<ExitStatus>>,
    output: Output,
    log_file: Option<LogFile>,
}

/// A process group that can be signalled until its leader is reaped. After that the number may
/// belong to another process.
#[derive(Debug)]
struct Group(Option<Pid>);

impl Group {
    fn signal(&self, signal: Signal) {
        if let Some(leader) = self.0 {
            // The group may already be gone.
            let _ = kill_process_group(leader, signal);
        }
    }
}

impl Child {
    /// Starts a command with the given standard input. `each` is called with every line of its
    /// output, which is also logged.
    ///
    /// A parent-death signal is tied to the thread that spawned the child, not to the process. So
    /// the spawning thread waits for the child and lives exactly as long.
    ///
    /// # Errors
    ///
    /// Returns the system's error if the command cannot be started.
    pub fn spawn(
        mut command: Command,
        input: Stdio,
        mut each: impl FnMut(&str) + Send + 'static,
    ) -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        command
            .stdin(input)
            .stdout(writer.try_clone()?)
            .stderr(writer)
            .process_group(0);
        ffi::die_with_this_thread(&mut command);
        let group = Arc::new(Mutex::new(Group(None)));
        let dying = Arc::clone(&group);
        let output = Output::follow(reader, move |line| {
            each(line);
            if let Some(signal) = crash(line) {
                end_soon(&dying, signal);
            }
        })?;
        let (report, status) = watch::channel(None);
        let (started, start) = mpsc::channel();
        let owned = Arc::clone(&group);
        let supervisor = move || {
            let spawned = command.spawn();
            // The command holds the write end of the pipe.
            drop(command);
            match spawned {
                Err(error) => drop(started.send(Err(error))),
                Ok(child) => {
                    owned.lock().0 = Pid::from_raw(child.id().cast_signed());
                    drop(started.send(Ok(())));
                    report.send_replace(Some(supervise(child, &owned)));
                }
            }
        };
        thread::Builder::new()
            .name("tritonserver".to_owned())
            .spawn(supervisor)?;
        let ended = |_| io::Error::other("the thread that starts processes has exited");
        start.recv().map_err(ended)??;
        Ok(Self {
            group,
            status,
            output,
            log_file: None,
        })
    }

    /// Adds a file to which the child writes its log lines.
    pub fn logging_to(mut self, file: Option<LogFile>) -> Self {
        self.log_file = file;
        self
    }

    /// Waits until the child has exited.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future has no effect.
    pub async fn exited(&self) -> ExitReport {
        let mut status = self.status.clone();
        let status = match status.wait_for(Option::is_some).await {
            Ok(status) => *status,
            Err(_) => None,
        };
        let _ = timeout(OUTPUT_TIMEOUT, self.output.ended()).await;
        ExitReport {
            status: status.unwrap_or_else(unknown),
            last_lines: self.last_lines(),
        }
    }

    /// Returns the cause of a crash, the last error lines so far, oldest first, or the last line of
    /// its output.
    pub(super) fn last_lines(&self) -> Vec<String> {
        let mut lines = self.output.last_lines();
        let file = self.log_file.as_ref();
        lines.extend(file.map(LogFile::last_errors).unwrap_or_default());
        lines
    }

    /// Sends `SIGTERM` to the group.
    pub fn terminate(&self) {
        self.group.lock().signal(Signal::TERM);
    }

    /// Sends `SIGTERM`, and kills the whole group if the child has not exited within `grace`.
    pub async fn stop(&self, grace: Duration) -> ExitReport {
        self.terminate();
        if let Ok(exit) = timeout(grace, self.exited()).await {
            return exit;
        }
        tracing::warn!(
            seconds = grace.as_secs(),
            "tritonserver did not stop in time; killing it"
        );
        self.kill().await
    }

    /// Kills the whole group.
    pub async fn kill(&self) -> ExitReport {
        self.group.lock().signal(Signal::KILL);
        self.exited().await
    }

    /// Returns the process id while the child runs.
    pub fn id(&self) -> Option<u32> {
        let leader = self.group.lock().0;
        leader.map(|leader| leader.as_raw_pid().cast_unsigned())
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.group.lock().signal(Signal::KILL);
    }
}

/// Kills a child that reported a crash and is still in its signal handler after
/// [`CRASH_EXIT_TIMEOUT`].
fn end_soon(group: &Arc<Mutex<Group>>, signal: u32) {
    let group = Arc::clone(group);
    let wait = move || {
        thread::sleep(CRASH_EXIT_TIMEOUT);
        let group = group.lock();
        let leader = group.0.map(|leader| leader.as_raw_pid().cast_unsigned());
        if leader.is_some_and(|leader| is_in_handler(leader, signal)) {
            let seconds = CRASH_EXIT_TIMEOUT.as_secs();
            tracing::warn!(
                signal,
                seconds,
                "tritonserver hangs after a crash; killing it"
            );
            group.signal(Signal::KILL);
        }
    };
    let spawned = thread::Builder::new().name("crash".to_owned()).spawn(wait);
    if let Err(error) = spawned {
        tracing::warn!(%error, "cannot start the thread that kills tritonserver if it hangs after a crash");
    }
}

/// Waits for the child and kills the rest of its group. Only then is the child reaped, which frees
/// its number.
fn supervise(mut child: process::Child, group: &Mutex<Group>) -> ExitStatus {
    let leader = group.lock().0;
    if let Some(leader) = leader {
        let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while waitid(WaitId::Pid(leader), ended).is_err_and(|error| error == Errno::INTR) {}
    }
    let mut group = group.lock();
    group.signal(Signal::KILL);
    group.0 = None;
    // The child has exited, so this does not block. It fails only if someone else has reaped it, as
    // the system does if the parent of this process ignores `SIGCHLD`.
    child.wait().unwrap_or_else(|_| unknown())
}

/// The exit status of a child that could not be read. It counts as a failure.
fn unknown() -> ExitStatus {
    ExitStatus::from_raw(1 << 8)
}

#[cfg(test)]
mod tests {
    use rustix::process::{WaitOptions, waitpid};

    use super::*;

    #[test]
    fn an_unknown_exit_status_is_a_failure() {
        let child = Command::new("true").spawn().unwrap();
        let id = Pid::from_raw(child.id().cast_signed());
        waitpid(id, WaitOptions::empty()).unwrap();
        let status = supervise(child, &Mutex::new(Group(None)));
        assert_eq!(status.code(), Some(1));
    }
}
