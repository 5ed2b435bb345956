use clap_complete::{Shell, generate};
use clap_mangen::Man;

use super::ServerError;
use super::cli::Program;

/// Returns the completion script for a shell.
pub(super) fn completions(shell: Shell, program: &Program) -> String {
    let mut script = Vec::new();
    let mut command = program.command.clone();
    generate(shell, &mut command, program.name, &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// Returns the manual page of the command line, in roff.
///
/// # Errors
///
/// Returns [`ServerError::System`] if rendering fails. Writing to memory does not fail in practice.
pub(super) fn manual(program: &Program) -> Result<String, ServerError> {
    let mut page = Vec::new();
    Man::new(program.command.clone())
        .render(&mut page)
        .map_err(|source| ServerError::System {
            what: "the manual page",
            source,
        })?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}
