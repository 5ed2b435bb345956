use std::io;
use std::process::{Command, Stdio};

use crate::WeightsError;

/// A program that downloads.
pub(crate) fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null());
    // Its progress and its complaints are the user's; our standard output is not its.
    command.stdout(io::stderr());
    command
}

/// Lets it download something.
pub(crate) fn run(command: &mut Command, requirement: &str) -> Result<(), WeightsError> {
    let status = match command.status() {
        Ok(status) if status.success() => return Ok(()),
        Ok(status) => format!("ended with {status}"),
        Err(error) => format!("cannot be run: {error}"),
    };
    Err(WeightsError::Download {
        tool: command.get_program().display().to_string(),
        requirement: requirement.to_owned(),
        status,
    })
}
