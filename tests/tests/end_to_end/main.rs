//! End-to-end tests of a running server with NVIDIA's clients, and of its command line.

mod access;
mod access_log;
mod balanced;
mod clients;
mod command_line;
mod configuration;
mod control;
mod decoupled;
mod deployed;
mod differential;
mod example_clients;
mod examples;
mod fatal_errors;
mod goodput;
mod hosts;
mod learned;
mod native;
mod observability;
mod openapi;
mod operations;
mod options;
mod overrides;
mod own_limits;
mod own_metrics;
mod own_program;
mod own_state;
mod perf_analyzer;
mod platforms;
mod probes;
mod protocols;
mod readme;
mod scarce;
mod scenarios;
mod sentiment;
mod shutdown;
mod template;
mod terminal;
mod tls;
mod traces;
mod tritonserver;

use std::path::Path;

use pytriton_tests::{Engine, Python, Result, Server};

/// The binary with all test models.
const MODELS: &str = env!("CARGO_BIN_EXE_test_models");

/// Returns a Python with NVIDIA's client, which the first test installs.
fn python() -> Result<Python> {
    Python::prepare(folder())
}

/// Starts all test models with an engine.
fn serve(engine: Engine, arguments: &[&str]) -> Result<Server> {
    Server::start_with(engine, folder(), MODELS, arguments)
}

fn folder() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}
