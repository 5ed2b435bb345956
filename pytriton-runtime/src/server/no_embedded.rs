//! Replaces the module of the embedded engine in a binary without it.

use crate::engine::ChoiceError;

use super::chosen_engine::ChosenEngine;
use super::engine_reason::EngineReason;
use super::{Options, ServerError};

/// The parts that a program adds to its server: none, because the embedded engine serves them.
#[derive(Debug, Clone, Default)]
pub(super) struct Extensions {}

impl Extensions {
    /// Returns no part.
    pub(super) fn embedded_part(&self) -> Option<&'static str> {
        None
    }
}

/// Returns an error: this binary has no embedded engine.
pub(super) fn choose(_: EngineReason) -> Result<Box<dyn ChosenEngine>, ServerError> {
    Err(ChoiceError::NoEmbedded.into())
}

/// Returns `None`: only the embedded engine has this limit.
pub(super) fn max_bytes_in_flight(_: &Options) -> Option<usize> {
    None
}
