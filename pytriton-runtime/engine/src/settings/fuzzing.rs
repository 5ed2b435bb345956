//! The functions of this module that the fuzz targets call.

use clap::Command;

use super::File;
use super::keys::Keys;

/// Parses a configuration file for the options of a command, and returns the number of its entries.
///
/// # Errors
///
/// Returns the error messages if the text is invalid.
pub fn options(command: &Command, text: &str) -> Result<usize, String> {
    let file = File::parse("fuzzing.toml", text, &Keys::new(command));
    let mistakes: Vec<String> = file.mistakes.iter().map(ToString::to_string).collect();
    match mistakes.is_empty() {
        true => Ok(file.entries.len()),
        false => Err(mistakes.join("\n")),
    }
}
