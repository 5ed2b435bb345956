//! Replaces the module of the embedded engine in a binary without it.

use super::choice::ChoiceError;
use super::chosen_engine::ChosenEngine;
use super::{Options, ServerError};

/// Returns an error: this binary has no embedded engine.
pub(super) fn choose(_: String) -> Result<Box<dyn ChosenEngine>, ServerError> {
    Err(ChoiceError::NoEmbedded.into())
}

/// Returns `None`: only the embedded engine has this limit.
pub(super) fn max_bytes_in_flight(_: &Options) -> Option<usize> {
    None
}
