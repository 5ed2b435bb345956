use std::io;
use std::os::unix::process::CommandExt;
use std::process::{self, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::sync::watch;
use tokio::time::timeout;

use super::crash::{crash, is_in_handler};
use super::output::Output;
use super::{Exit, ffi};

/// How long a dead child's last words may take to arrive: others may hold its output open.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// How long one that says that it crashes may take to end.
const LAST_GASP: Duration = Duration::from_secs(5);

/// A child in a process group of its own that does not outlive this process.
///
/// Dropping it kills the whole group.
#[derive(Debug)]
pub struct Child {
    group: Arc<Mutex<Group>>,
    status: watch::Receiver<Option<ExitStatus>>,
    output: Output,
}

/// A process group that can be signalled until its leader is reaped: after that its number may be somebody else's.
#[derive(Debug)]
struct Group(Option<Pid>);

impl Group {
    fn signal(&self, signal: Signal) {
        if let Some(leader) = self.0 {
            // A group that is gone already needs no signal.
            let _ = kill_process_group(leader, signal);
        }
    }
}

impl Child {
    /// Starts a command with that standard input; `each` hears every line of its output, which also goes into `tracing`.
    ///
    /// A parent-death signal follows the thread that spawned, not the process: the thread that spawns here waits for the
    /// child, and so lives exactly as long.
    ///
    /// # Errors
    ///
    /// What the system says when the command cannot be started.
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
        let caretaker = move || {
            let spawned = command.spawn();
            // The command holds the writing end of the pipe.
            drop(command);
            match spawned {
                Err(error) => drop(started.send(Err(error))),
                Ok(child) => {
                    lock(&owned).0 = Pid::from_raw(child.id().cast_signed());
                    drop(started.send(Ok(())));
                    report.send_replace(Some(take_care(child, &owned)));
                }
            }
        };
        thread::Builder::new()
            .name("tritonserver".to_owned())
            .spawn(caretaker)?;
        let gone = |_| io::Error::other("the thread that starts the child is gone");
        start.recv().map_err(gone)??;
        Ok(Self {
            group,
            status,
            output,
        })
    }

    /// Waits until the child has ended.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future changes nothing.
    pub async fn exited(&self) -> Exit {
        let mut status = self.status.clone();
        let status = match status.wait_for(Option::is_some).await {
            Ok(status) => *status,
            Err(_) => None,
        };
        let _ = timeout(LAST_WORDS, self.output.ended()).await;
        Exit {
            status: status.unwrap_or_default(),
            last_words: self.output.last_words(),
        }
    }

    /// Its last error lines so far, oldest first; its last line of all where it had none.
    pub(super) fn last_words(&self) -> Vec<String> {
        self.output.last_words()
    }

    /// Asks the child to stop.
    pub fn terminate(&self) {
        lock(&self.group).signal(Signal::TERM);
    }

    /// Asks the child to stop, and kills it and all it has started when it has not within `grace`.
    pub async fn stop(&self, grace: Duration) -> Exit {
        self.terminate();
        if let Ok(exit) = timeout(grace, self.exited()).await {
            return exit;
        }
        tracing::warn!(
            seconds = grace.as_secs(),
            "tritonserver did not stop in time: it is killed"
        );
        self.kill().await
    }

    /// Kills the child and all it has started.
    pub async fn kill(&self) -> Exit {
        lock(&self.group).signal(Signal::KILL);
        self.exited().await
    }

    /// The child's process id, as long as it runs.
    pub fn id(&self) -> Option<u32> {
        let leader = lock(&self.group).0;
        leader.map(|leader| leader.as_raw_pid().cast_unsigned())
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        lock(&self.group).signal(Signal::KILL);
    }
}

/// Ends a child that says that it crashes, and is still in its handler of the signal after a while.
fn end_soon(group: &Arc<Mutex<Group>>, signal: u32) {
    let group = Arc::clone(group);
    let wait = move || {
        thread::sleep(LAST_GASP);
        let group = lock(&group);
        let leader = group.0.map(|leader| leader.as_raw_pid().cast_unsigned());
        if leader.is_some_and(|leader| is_in_handler(leader, signal)) {
            let seconds = LAST_GASP.as_secs();
            tracing::warn!(
                signal,
                seconds,
                "tritonserver hangs in its crash: it is killed"
            );
            group.signal(Signal::KILL);
        }
    };
    let spawned = thread::Builder::new().name("crash".to_owned()).spawn(wait);
    if let Err(error) = spawned {
        tracing::warn!(%error, "no thread to end a tritonserver that crashes");
    }
}

/// Waits for the child, ends what it leaves behind, and only then gives its number back to the system.
fn take_care(mut child: process::Child, group: &Mutex<Group>) -> ExitStatus {
    let leader = lock(group).0;
    if let Some(leader) = leader {
        let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while waitid(WaitId::Pid(leader), ended).is_err_and(|error| error == Errno::INTR) {}
    }
    let mut group = lock(group);
    group.signal(Signal::KILL);
    group.0 = None;
    // It has ended: this does not wait, and only fails when somebody else has reaped it.
    child.wait().unwrap_or_default()
}

fn lock(group: &Mutex<Group>) -> std::sync::MutexGuard<'_, Group> {
    group.lock().unwrap_or_else(PoisonError::into_inner)
}
