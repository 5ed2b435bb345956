//! What PyTriton does, and what documents say, beside what stands here.

mod decorators;
mod environment;
mod errors;
mod names;

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
