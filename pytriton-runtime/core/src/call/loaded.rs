use std::sync::Arc;

use crate::error::Error;
use crate::model::Declared;
use crate::text::in_log;

use super::{Context, FunctionError, ModelError};

/// A return type of a `#[load]` function.
#[diagnostic::on_unimplemented(
    message = "`#[load]` must return the state: write `-> Self` or `-> Result<Self, E>`",
    label = "not the state"
)]
pub trait IntoState<S> {
    /// Returns the state.
    ///
    /// # Errors
    ///
    /// Returns [`ModelError::Load`] if the function returned an error.
    fn into_state(self, context: &Context) -> Result<S, ModelError>;
}

#[diagnostic::do_not_recommend]
impl<S> IntoState<S> for S {
    fn into_state(self, _: &Context) -> Result<S, ModelError> {
        Ok(self)
    }
}

impl<S, E: FunctionError> IntoState<S> for Result<S, E> {
    fn into_state(self, context: &Context) -> Result<S, ModelError> {
        self.map_err(|error| load_error(context, &Error::of(&error)))
    }
}

fn load_error(context: &Context, error: &Error) -> ModelError {
    ModelError::Load {
        model: Arc::clone(&context.model().name),
        instance: context.instance(),
        message: in_log(&format_args!("{error:#}")),
    }
}

/// A parameter type of a `#[load]` function.
#[diagnostic::on_unimplemented(
    message = "`#[load]` takes `context: &Context`, `Call<…>` for each model that it calls, and `Arc<…>` for each state that models share",
    label = "neither `&Context` nor `Call` nor `Arc`"
)]
pub trait LoadParameter<'c>: Sized {
    /// The declaration of the parameter.
    #[doc(hidden)]
    const DECLARED: Declared;

    /// Returns the argument.
    ///
    /// # Errors
    ///
    /// Returns a [`ModelError`] if the program does not provide it.
    #[doc(hidden)]
    fn new(context: &'c Context) -> Result<Self, ModelError>;
}

#[diagnostic::do_not_recommend]
impl<'c> LoadParameter<'c> for &'c Context {
    const DECLARED: Declared = Declared::Context;

    fn new(context: &'c Context) -> Result<Self, ModelError> {
        Ok(context)
    }
}

/// Returns the argument of a `#[load]` function.
///
/// # Errors
///
/// As [`LoadParameter::new`].
pub fn loading<'c, P: LoadParameter<'c>>(context: &'c Context) -> Result<P, ModelError> {
    P::new(context)
}

/// Returns the declaration of a parameter of a `#[load]` function.
pub const fn load_declared<'c, P: LoadParameter<'c>>() -> Declared {
    P::DECLARED
}

/// Returns the state that a `#[load]` function created.
///
/// # Errors
///
/// As [`IntoState::into_state`].
pub fn loaded<S, R: IntoState<S>>(
    context: &Context,
    returned: Result<R, Error>,
) -> Result<S, ModelError> {
    let returned = returned.map_err(|error| load_error(context, &error))?;
    returned.into_state(context)
}
