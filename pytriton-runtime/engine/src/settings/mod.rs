//! The sources of options. Precedence: flag, environment, file, default.
//!
//! clap's definitions are the only table of options. A key in the file is the name of an option.
//! [`resolve()`] adds the values of the file to the command line for options that neither the
//! command line nor the environment sets, and those of numbered variables. clap therefore parses
//! every value and knows neither files nor numbers. Each [`Setting`] records the result.

mod environment;
mod expected;
mod file;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod keys;
mod origin;
mod resolve;
#[cfg(test)]
mod tests;
mod unknown_variable;
mod validation_error;

use file::File;

pub use origin::{Origin, Setting};
pub use resolve::{ResolveError, Resolved, resolve};
pub use unknown_variable::{UnknownVariable, unknown_variables};
pub use validation_error::{ValidationError, ValidationErrors};
