use std::fs::File;
use std::io::{Read, Seek};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::{HarnessError, Result};

/// The polling interval for the end of a process and for its output.
pub(crate) const TICK: Duration = Duration::from_millis(2);

/// The result of a process.
#[derive(Debug)]
pub struct Finished {
    /// The exit status.
    pub status: ExitStatus,
    /// The standard output.
    pub stdout: String,
    /// The standard error.
    pub stderr: String,
}

/// Runs a command to its end and returns its result, even if it failed.
///
/// # Errors
///
/// Returns [`HarnessError::Deadline`] if it takes longer than `deadline`; the process is killed.
pub fn finish(command: &mut Command, deadline: Duration) -> Result<Finished> {
    // Files instead of pipes, so that a grandchild with an open pipe does not block the test.
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

/// Sets defaults for variables that the command does not set: the embedded engine and no restricted
/// groups. The tests must not depend on what is installed, and most of them use routes that would
/// need a token.
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
    /// Returns the standard output of a process that must have succeeded.
    ///
    /// # Errors
    ///
    /// Returns [`HarnessError::Failed`] if it failed.
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

/// Waits until a process ends. Kills it and returns `None` after the deadline.
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

/// Calls `found` until it returns a value, the process ends, or the deadline passes.
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
