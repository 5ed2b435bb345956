//! The running server, driven by NVIDIA's clients and from its command line.

mod clients;
mod command_line;
mod examples;
mod readme;
mod shutdown;

use std::path::Path;

/// The binary with all test models.
const MODELS: &str = env!("CARGO_BIN_EXE_test_models");

/// Python with NVIDIA's client, made by the first test that asks for it.
fn python() -> pytriton_tests::Result<pytriton_tests::Python> {
    pytriton_tests::Python::prepare(Path::new(env!("CARGO_TARGET_TMPDIR")))
}
