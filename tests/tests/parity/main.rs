//! Compares the code with the behaviour of PyTriton and with the documentation.

mod decorators;
mod environment;
mod errors;
mod examples;
mod links;
mod names;

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
