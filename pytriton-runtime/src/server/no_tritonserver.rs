//! Replaces the module of the tritonserver engine in a binary without it.

use std::path::{Path, PathBuf};

use pytriton_engine::options::{NoTritonserver, TritonOptions};

use crate::engine::ChoiceError;
use crate::registry::Registry;

use super::ServerError;
use super::chosen_engine::ChosenEngine;

/// Returns an error: this binary has no tritonserver engine.
pub(super) fn choose(_: &TritonOptions) -> Result<Box<dyn ChosenEngine>, ServerError> {
    Err(absent().into())
}

/// Returns an error: this binary cannot use an installed tritonserver.
pub(super) fn install() -> Result<String, ServerError> {
    Err(absent().into())
}

/// Returns an error: no repository is written.
pub(super) fn write_models(_: &Path, _: bool, _: &Registry) -> Result<Option<String>, ServerError> {
    Err(absent().into())
}

/// Returns why this binary cannot open an installed tritonserver.
pub(super) fn describe_core(_: &Path) -> String {
    absent().to_string()
}

/// Reports that the engine is not compiled in.
pub(super) fn report(_: Option<PathBuf>) -> Result<Vec<String>, ServerError> {
    Ok(vec![absent().to_string()])
}

/// Returns the error for a binary that is built without the tritonserver engine.
fn absent() -> ChoiceError {
    let reason = match cfg!(feature = "tritonserver") {
        true => {
            "tritonserver runs only on Linux on x86_64 and aarch64, and the binary is built for another system"
        }
        false => "it is built without the feature `tritonserver` of pytriton",
    };
    NoTritonserver { reason }.into()
}
