//! What `crate::fuzzing` calls of this module.

use clap::{Args, Command};

use crate::server::Options;

use super::File;
use super::keys::Keys;

/// Reads a file with options and returns the number of its entries.
///
/// # Errors
///
/// Returns the text of the error if the bytes are refused.
pub fn options(text: &str) -> Result<usize, String> {
    let command = Options::augment_args(Command::new("fuzzing").no_binary_name(true));
    let file = File::parse("fuzzing.toml", text, &Keys::new(&command));
    let mistakes: Vec<String> = file.mistakes.iter().map(ToString::to_string).collect();
    match mistakes.is_empty() {
        true => Ok(file.entries.len()),
        false => Err(mistakes.join("\n")),
    }
}
