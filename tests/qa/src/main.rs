//! Serves the models for NVIDIA's QA suites. `QA_MODELS` is the path of a JSON file that `run.py`
//! writes: a list of models with their tensors, options and the name of a function.

mod functions;
mod numbers;
mod sequences;
mod spec;
mod streams;

use std::env;
use std::fs;

use pytriton::{Failure, Triton};

use crate::spec::Spec;

fn main() -> Result<(), Failure> {
    let path = env::var("QA_MODELS").map_err(|_| "QA_MODELS must name a file with models")?;
    let specs: Vec<Spec> = serde_json::from_slice(&fs::read(path)?)?;
    let triton = Triton::builder().arguments(env::args().skip(1)).build()?;
    for spec in &specs {
        for version in &spec.versions {
            triton.bind(spec.model(*version)?, spec.function(*version)?)?;
        }
    }
    Ok(triton.serve()?)
}
