//! Serves the models for NVIDIA's QA suites. `QA_MODELS` is the path of a JSON file that `run.py`
//! writes for each run of a test file: the names of annotated functions, and models to define at
//! run time.

mod dynamic;
mod models;

use std::env;
use std::fs;

use pytriton::{Error, Triton};
use serde::Deserialize;

use crate::dynamic::Spec;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Models {
    annotated: Vec<String>,
    dynamic: Vec<Spec>,
}

fn main() -> Result<(), Error> {
    let path = env::var("QA_MODELS").map_err(|_| "QA_MODELS must name a file with models")?;
    let models: Models = serde_json::from_slice(&fs::read(path)?)?;
    let triton = Triton::builder().arguments(env::args().skip(1)).build()?;
    bind_annotated(&triton, &models.annotated)?;
    for spec in &models.dynamic {
        for version in &spec.versions {
            triton.bind(spec.model(*version)?, spec.function(*version)?)?;
        }
    }
    Ok(triton.serve()?)
}

/// Binds the annotated functions with these names.
fn bind_annotated(triton: &Triton, names: &[String]) -> Result<(), Error> {
    triton.bind_registered()?;
    let registered = triton.models();
    for name in names {
        if !registered.iter().any(|model| *model.name == **name) {
            return Err(format!("no annotated function has the name `{name}`").into());
        }
    }
    for model in registered {
        if !names.iter().any(|name| *model.name == **name) {
            triton.unbind(&model.name, model.version)?;
        }
    }
    Ok(())
}
