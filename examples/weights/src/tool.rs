use std::io;
use std::process::{Command, Stdio};

use crate::WeightsError;

/// Returns a command that downloads.
pub(crate) fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null());
    // Progress and errors go to the user; standard output is reserved for this program.
    command.stdout(io::stderr());
    command
}

/// Runs a command that downloads a package.
pub(crate) fn run(command: &mut Command, requirement: &str) -> Result<(), WeightsError> {
    let status = match command.status() {
        Ok(status) if status.success() => return Ok(()),
        Ok(status) => format!("failed with {status}"),
        Err(error) => format!("cannot be run: {error}"),
    };
    Err(WeightsError::Download {
        tool: command.get_program().display().to_string(),
        requirement: requirement.to_owned(),
        status,
    })
}
