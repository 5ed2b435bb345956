use std::sync::Arc;

use crate::text::for_client;

use super::{Context, FunctionError, ModelError};

/// The state that a `#[load]` function made.
///
/// # Errors
///
/// [`ModelError::Load`] when it returned an error.
pub fn loaded<S, E: FunctionError>(
    context: &Context,
    state: Result<S, E>,
) -> Result<S, ModelError> {
    state.map_err(|error| ModelError::Load {
        model: Arc::clone(&context.model().name),
        instance: context.instance(),
        message: for_client(&error),
    })
}
