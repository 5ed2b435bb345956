use std::fs::File;
use std::io::{Read, Seek};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::{HarnessError, Result};

/// How often a process is asked whether it has ended.
const TICK: Duration = Duration::from_millis(2);

/// What a process left behind.
#[derive(Debug)]
pub struct Finished {
    /// How it ended.
    pub status: ExitStatus,
    /// What it wrote to its standard output.
    pub stdout: String,
    /// What it wrote to its standard error.
    pub stderr: String,
}

/// Runs a command to its end and returns what it left behind, however it ended.
///
/// # Errors
///
/// [`HarnessError::Deadline`] when it takes longer than `deadline`; it is killed then.
pub fn finish(command: &mut Command, deadline: Duration) -> Result<Finished> {
    // Files rather than pipes: nothing waits for a grandchild that keeps its end of a pipe open.
    let mut stdout = tempfile::tempfile()?;
    let mut stderr = tempfile::tempfile()?;
    let mut child = embedded(command)
        .stdin(Stdio::null())
        .stdout(stdout.try_clone()?)
        .stderr(stderr.try_clone()?)
        .spawn()?;
    let status = wait(&mut child, deadline)?;
    let (stdout, stderr) = (text(&mut stdout)?, text(&mut stderr)?);
    match status {
        Some(status) => Ok(Finished {
            status,
            stdout,
            stderr,
        }),
        None => Err(HarnessError::Deadline {
            program: program(command),
            deadline,
            output: stdout + &stderr,
        }),
    }
}

/// Serves with the embedded engine and with all groups open where the command says nothing of it: what is installed on a machine
/// must not decide what its tests test, and most of them look at what needs a token otherwise.
pub(crate) fn embedded(command: &mut Command) -> &mut Command {
    const DEFAULTS: [(&str, &str); 2] = [
        ("PYTRITON_ENGINE", "embedded"),
        ("PYTRITON_TRITON_CONFIG_RESTRICTED_ENDPOINTS", ""),
    ];
    for (variable, value) in DEFAULTS {
        if !command.get_envs().any(|(name, _)| name == variable) {
            command.env(variable, value);
        }
    }
    command
}

impl Finished {
    /// The standard output of a process that must have succeeded.
    ///
    /// # Errors
    ///
    /// [`HarnessError::Failed`] when it did not.
    pub fn success(self, program: &str) -> Result<String> {
        if self.status.success() {
            return Ok(self.stdout);
        }
        Err(HarnessError::Failed {
            program: program.to_owned(),
            status: self.status,
            output: self.stdout + &self.stderr,
        })
    }
}

/// Waits until a process ends; kills it and returns `None` when it does not in time.
pub(crate) fn wait(child: &mut Child, deadline: Duration) -> Result<Option<ExitStatus>> {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if begun.elapsed() > deadline {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(TICK);
    }
}

/// Calls `found` until it returns something, as long as the process lives and there is time.
pub(crate) fn poll<T>(
    child: &mut Child,
    deadline: Duration,
    mut found: impl FnMut() -> Result<Option<T>>,
) -> Result<Option<T>> {
    let begun = Instant::now();
    while begun.elapsed() < deadline {
        if let Some(value) = found()? {
            return Ok(Some(value));
        }
        if child.try_wait()?.is_some() {
            return found();
        }
        thread::sleep(TICK);
    }
    Ok(None)
}

pub(crate) fn program(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}

fn text(file: &mut File) -> Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
