//! The functions of this module that `crate::fuzzing` calls.

use clap::{Args, Command};

use crate::server::Options;

use super::File;
use super::keys::Keys;

/// Parses a configuration file and returns the number of its entries.
///
/// # Errors
///
/// Returns the error messages if the text is invalid.
pub fn options(text: &str) -> Result<usize, String> {
    let command = Options::augment_args(Command::new("fuzzing").no_binary_name(true));
    let file = File::parse("fuzzing.toml", text, &Keys::new(&command));
    let mistakes: Vec<String> = file.mistakes.iter().map(ToString::to_string).collect();
    match mistakes.is_empty() {
        true => Ok(file.entries.len()),
        false => Err(mistakes.join("\n")),
    }
}
