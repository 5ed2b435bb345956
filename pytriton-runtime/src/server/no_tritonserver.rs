//! Replacements for the tritonserver commands in a binary without the tritonserver engine.

use std::path::{Path, PathBuf};

use crate::engine::ChoiceError;
use crate::registry::Registry;

use super::ServerError;

/// Returns an error: this binary cannot use an installed tritonserver.
pub(super) fn install() -> Result<String, ServerError> {
    Err(ChoiceError::absent().into())
}

/// Returns an error: no repository is written.
pub(super) fn repository(_: &Path, _: bool, _: &Registry) -> Result<Option<String>, ServerError> {
    Err(ChoiceError::absent().into())
}

/// Reports that the engine is not compiled in.
pub(super) fn report(_: Option<PathBuf>) -> Result<Vec<String>, ServerError> {
    Ok(vec![ChoiceError::absent().to_string()])
}
