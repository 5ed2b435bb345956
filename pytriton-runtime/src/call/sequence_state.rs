use std::cell::{RefCell, RefMut};
use std::fmt;
use std::sync::Arc;

use crate::model::Declared;

use super::states::State;
use super::{Call, ModelError};

/// A type of a parameter with `#[sequence]`: the state of the request's sequence, or the states of
/// all rows of a batch.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter under `#[sequence]`",
    label = "not the state of a sequence",
    note = "take `&mut State` of any type `State` of your own that borrows nothing, or `&mut [&mut State]` under `#[batch]`"
)]
pub trait SequenceParameter {
    /// The declaration of the parameter.
    const DECLARED: Declared;
    /// The state of one sequence.
    type State: 'static;
    /// The value that the argument borrows from.
    type Held<'c>;

    /// Borrows the states of a call.
    ///
    /// # Errors
    ///
    /// Returns [`ModelError::Function`] if the call has no states.
    fn read<'c>(call: &'c Call<'_>) -> Result<Self::Held<'c>, ModelError>;
}

/// The state of a call with one request.
pub struct HeldState<'c, S>(RefMut<'c, S>);

impl<S> HeldState<'_, S> {
    /// Returns a value that the argument is borrowed from.
    pub fn lend(&mut self) -> &mut Self {
        self
    }

    /// Returns the argument.
    pub fn argument(&mut self) -> &mut S {
        &mut self.0
    }
}

/// The states of a call with several requests.
pub struct HeldStates<'c, S>(Vec<RefMut<'c, S>>);

impl<S> HeldStates<'_, S> {
    /// Returns a value that the argument is borrowed from.
    pub fn lend(&mut self) -> LentStates<'_, S> {
        let states = self.0.iter_mut();
        LentStates(states.map(|state| &mut **state).collect())
    }
}

/// References to the states, as the function takes them.
pub struct LentStates<'c, S>(Vec<&'c mut S>);

impl<'c, S> LentStates<'c, S> {
    /// Returns the argument.
    pub fn argument(&mut self) -> &mut [&'c mut S] {
        &mut self.0
    }
}

impl<S: 'static> SequenceParameter for &mut S {
    const DECLARED: Declared = Declared::State { each: false };
    type State = S;
    type Held<'c> = HeldState<'c, S>;

    fn read<'c>(call: &'c Call<'_>) -> Result<Self::Held<'c>, ModelError> {
        let state = call.states.and_then(<[_]>::first);
        state
            .and_then(held)
            .map(HeldState)
            .ok_or_else(|| none(call))
    }
}

impl<S: 'static> SequenceParameter for &mut [&mut S] {
    const DECLARED: Declared = Declared::State { each: true };
    type State = S;
    type Held<'c> = HeldStates<'c, S>;

    fn read<'c>(call: &'c Call<'_>) -> Result<Self::Held<'c>, ModelError> {
        let states = call.states.unwrap_or_default().iter();
        let states: Option<Vec<_>> = states.map(held).collect();
        states.map(HeldStates).ok_or_else(|| none(call))
    }
}

/// Borrows a state if it has this type.
fn held<S: 'static>(state: &RefCell<State>) -> Option<RefMut<'_, S>> {
    let state = state.try_borrow_mut().ok()?;
    RefMut::filter_map(state, |state| state.downcast_mut()).ok()
}

fn none(call: &Call<'_>) -> ModelError {
    ModelError::Function {
        model: Arc::clone(&call.context().model().name),
        message: "there is no state".to_owned(),
    }
}

impl<S> fmt::Debug for HeldState<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HeldState")
    }
}

impl<S> fmt::Debug for HeldStates<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HeldStates")
    }
}

impl<S> fmt::Debug for LentStates<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LentStates")
    }
}
