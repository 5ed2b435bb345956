use crate::request::Sequence;

use super::outputs::function_error;
use super::states::State;
use super::{Context, FunctionError, ModelError, SequenceParameter};

/// A sequence that starts.
#[derive(Debug, Clone, Copy)]
pub struct Start<'a> {
    /// The instance's context.
    pub context: &'a Context,
    /// The sequence.
    pub sequence: &'a Sequence,
}

/// What was made for a sequence.
pub type Started = Result<State, ModelError>;

/// What a `#[sequence]` function takes.
#[diagnostic::on_unimplemented(
    message = "`#[sequence]` takes nothing, `&self`, `sequence: &Sequence` or `context: &Context`",
    label = "neither `&Sequence` nor `&Context`"
)]
pub trait StartParameter<'s> {
    /// The argument.
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

/// The argument of a `#[sequence]` function.
pub fn starting<'s, P: StartParameter<'s>>(start: &Start<'s>) -> P {
    P::new(start)
}

/// What a `#[sequence]` function returns.
#[diagnostic::on_unimplemented(
    message = "`#[sequence]` must return the state that `#[infer]` takes: write `-> {S}` or `-> Result<{S}, E>`",
    label = "not the state"
)]
pub trait IntoSequenceState<S> {
    /// The state.
    ///
    /// # Errors
    ///
    /// [`ModelError::Function`] when an error came back.
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

/// A state that needs no function to be made.
#[diagnostic::on_unimplemented(
    message = "the state of a sequence is made when it starts: write `#[derive(Default)]` above `{Self}`, or a function under `#[sequence]` in the `impl` block",
    label = "cannot be made"
)]
pub trait StateByDefault {
    /// The state.
    fn state() -> Self;
}

#[diagnostic::do_not_recommend]
impl<S: Default> StateByDefault for S {
    fn state() -> Self {
        Self::default()
    }
}

/// The state that a `#[sequence]` function made for a parameter of that type.
///
/// # Errors
///
/// [`ModelError::Function`] when an error came back.
pub fn made<P: SequenceParameter, R: IntoSequenceState<P::State>>(
    start: &Start<'_>,
    returned: R,
) -> Started {
    Ok(Box::new(returned.into_state(start)?))
}

/// The same without such a function.
///
/// # Errors
///
/// None: functions return them.
pub fn made_by_default<P: SequenceParameter>(_: &Start<'_>) -> Started
where
    P::State: StateByDefault,
{
    Ok(Box::new(P::State::state()))
}
