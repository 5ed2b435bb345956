//! Models that are bound at run time, in servers of this process, on both engines.

mod cancellation;
mod cost;
mod devices;
mod fatal_errors;
mod functions;
mod http;
mod labels;
mod load_unload;
mod openai;
mod options;
mod overrides;
mod parts;
mod ragged;
mod router;
mod sequences;
mod signals;
mod stopping;
mod streams;
mod tritonserver;
mod versions;
mod warmups;
mod wrong_outputs;

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use pytriton::Triton;
use pytriton::runtime_models::{Input, Model, Output};
use pytriton::server::Builder;
use pytriton_tests::{Engine, triton_builder};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The time limit of each step.
const DEADLINE: Duration = Duration::from_secs(20);

/// Creates a server on free ports. The requirements of the engine are installed where other tests
/// have them.
fn triton(engine: Engine) -> Result<Triton> {
    Ok(builder(engine)?.build()?)
}

fn builder(engine: Engine) -> Result<Builder> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let binary = Path::new(env!("CARGO_BIN_EXE_example_identity"));
    Ok(triton_builder(engine, binary, folder)?)
}

/// Creates a model with one input `x` and one output `y`, with any number of columns.
#[track_caller]
fn model(name: &str) -> Model {
    Model::new(name)
        .max_batch_size(8)
        .input(Input::new::<f32>("x", [-1]))
        .output(Output::new::<f32>("y", [-1]))
}
