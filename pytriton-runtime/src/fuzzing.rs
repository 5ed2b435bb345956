//! Entry points for the fuzz targets in `fuzz/`. Not public API.

use clap::{Args, Command};
use pytriton_engine::options::Options;
use pytriton_engine::{Arguments, settings};

pub use pytriton_embedded::fuzzing::*;

/// Parses a configuration file and returns the number of its entries.
///
/// # Errors
///
/// Returns the error messages if the text is invalid.
pub fn options(text: &str) -> Result<usize, String> {
    let command = Command::new("fuzzing").no_binary_name(true);
    let command = Arguments::<Options>::augment_args(command);
    settings::fuzzing::options(&command, text)
}
