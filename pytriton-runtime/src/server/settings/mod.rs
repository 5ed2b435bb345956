//! Where the options come from: a flag, else the environment, else a file, else their default.
//!
//! There is one table of them, clap's. A key of the file is the name of an option ([`File`]); what the command line and the
//! environment leave open is then said on the command line in their place ([`resolve`]), so that clap reads each value, and
//! knows nothing of files. Each [`Setting`] says what came of it.

mod expected;
mod file;
#[cfg(all(feature = "embedded", any(test, feature = "fuzzing")))]
pub(crate) mod fuzzing;
mod keys;
mod mistake;
mod origin;
mod resolve;
#[cfg(test)]
mod tests;

use file::File;

pub use mistake::{Mistake, Mistakes};
pub(super) use origin::{Origin, Setting};
pub(super) use resolve::{ResolveError, resolve};
