use clap_complete::{Shell, generate};
use clap_mangen::Man;

use super::ServerError;
use super::command::CommandLine;

/// Returns the completion script for a shell.
pub(super) fn completions(shell: Shell, name: &'static str, version: &'static str) -> String {
    let mut script = Vec::new();
    let mut command = CommandLine::command_for(name, version);
    generate(shell, &mut command, name, &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// Returns the manual page of the command line, in roff.
///
/// # Errors
///
/// Returns [`ServerError::System`] if rendering fails. Writing to memory does not fail in practice.
pub(super) fn manual(name: &'static str, version: &'static str) -> Result<String, ServerError> {
    let mut page = Vec::new();
    Man::new(CommandLine::command_for(name, version))
        .render(&mut page)
        .map_err(|source| ServerError::System {
            what: "the manual page",
            source,
        })?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}
