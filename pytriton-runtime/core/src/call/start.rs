use crate::error::Error;
use crate::request::Sequence;

use super::function_error::{function_error, model_error};
use super::sequence_entry::State;
use super::{Context, FunctionError, ModelError, SequenceParameter};

/// The start of a sequence.
#[derive(Debug, Clone, Copy)]
pub struct Start<'a> {
    /// The context of the instance.
    pub context: &'a Context,
    /// The sequence.
    pub sequence: &'a Sequence,
}

/// The state of a new sequence.
pub type Started = Result<State, ModelError>;

/// A parameter type of a `#[sequence]` function.
#[diagnostic::on_unimplemented(
    message = "`#[sequence]` takes nothing, `&self`, `sequence: &Sequence` or `context: &Context`",
    label = "neither `&Sequence` nor `&Context`"
)]
pub trait StartParameter<'s> {
    /// Returns the argument.
    #[doc(hidden)]
    fn new(start: &Start<'s>) -> Self;
}

#[diagnostic::do_not_recommend]
impl<'s> StartParameter<'s> for &'s Context {
    fn new(start: &Start<'s>) -> Self {
        start.context
    }
}

#[diagnostic::do_not_recommend]
impl<'s> StartParameter<'s> for &'s Sequence {
    fn new(start: &Start<'s>) -> Self {
        start.sequence
    }
}

/// Returns the argument of a `#[sequence]` function.
pub fn starting<'s, P: StartParameter<'s>>(start: &Start<'s>) -> P {
    P::new(start)
}

/// A return type of a `#[sequence]` function.
#[diagnostic::on_unimplemented(
    message = "`#[sequence]` must return the state that `#[infer]` takes: write `-> {S}` or `-> Result<{S}, E>`",
    label = "not the state"
)]
pub trait IntoSequenceState<S> {
    /// Returns the state.
    ///
    /// # Errors
    ///
    /// Returns [`ModelError::Function`] if the value is an error.
    fn into_state(self, start: &Start<'_>) -> Result<S, ModelError>;
}

#[diagnostic::do_not_recommend]
impl<S> IntoSequenceState<S> for S {
    fn into_state(self, _: &Start<'_>) -> Result<S, ModelError> {
        Ok(self)
    }
}

impl<S, E: FunctionError> IntoSequenceState<S> for Result<S, E> {
    fn into_state(self, start: &Start<'_>) -> Result<S, ModelError> {
        self.map_err(|error| function_error(start.context.model(), &error))
    }
}

/// A state that is created by `Default`.
#[diagnostic::on_unimplemented(
    message = "the state of a sequence is created when the sequence starts: write `#[derive(Default)]` above `{Self}`, or a function under `#[sequence]` in the `impl` block",
    label = "cannot be created"
)]
pub trait StateByDefault {
    /// Returns the initial state.
    fn state() -> Self;
}

#[diagnostic::do_not_recommend]
impl<S: Default> StateByDefault for S {
    fn state() -> Self {
        Self::default()
    }
}

/// Returns the state that a `#[sequence]` function created for a parameter of type `P`.
///
/// # Errors
///
/// Returns [`ModelError::Function`] if the function returned an error.
pub fn made<P: SequenceParameter, R: IntoSequenceState<P::State>>(
    start: &Start<'_>,
    returned: Result<R, Error>,
) -> Started {
    let returned = returned.map_err(|error| model_error(start.context.model(), error))?;
    Ok(Box::new(returned.into_state(start)?))
}

/// Creates the state by default, without a `#[sequence]` function.
///
/// # Errors
///
/// None. The return type is that of [`made`].
pub fn made_by_default<P: SequenceParameter>(_: &Start<'_>) -> Started
where
    P::State: StateByDefault,
{
    Ok(Box::new(P::State::state()))
}
