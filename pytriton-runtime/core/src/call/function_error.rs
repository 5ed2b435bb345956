use std::fmt::Display;

use crate::error::Error;
use crate::model::ModelSpec;

use super::ModelError;

/// Converts an error that a function returned, of any type.
pub(crate) fn function_error(model: &ModelSpec, error: &dyn Display) -> ModelError {
    model_error(model, Error::of(error))
}

/// Converts the error of a model's function. An error from reading an input keeps its kind.
pub(crate) fn model_error(model: &ModelSpec, error: Error) -> ModelError {
    error.downcast_internal().unwrap_or_else(|error| {
        let (kind, retry_after) = (error.kind(), error.retry_time());
        ModelError::function(model, kind, retry_after, &format_args!("{error:#}"))
    })
}
