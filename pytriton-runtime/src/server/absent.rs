//! What is said about tritonserver in a binary without its engine.

use std::path::{Path, PathBuf};

use crate::engine::ChoiceError;
use crate::registry::Registry;

use super::ServerError;

/// No tritonserver is fetched that could not be used.
pub(super) fn install() -> Result<String, ServerError> {
    Err(ChoiceError::absent().into())
}

/// Nothing is written down for it either.
pub(super) fn repository(_: &Path, _: bool, _: &Registry) -> Result<Option<String>, ServerError> {
    Err(ChoiceError::absent().into())
}

/// Why there is none.
pub(super) fn report(_: Option<PathBuf>) -> Result<Vec<String>, ServerError> {
    Ok(vec![ChoiceError::absent().to_string()])
}
