use std::cell::{RefCell, RefMut};
use std::fmt;

use crate::model::Declared;

use super::sequence_entry::State;
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
    #[doc(hidden)]
    const DECLARED: Declared;
    /// The state of one sequence.
    #[doc(hidden)]
    type State: 'static;
    /// The value that the argument borrows from.
    #[doc(hidden)]
    type Storage<'c>;

    /// Borrows the states of a call.
    ///
    /// # Errors
    ///
    /// Returns [`ModelError::Function`] if the call has no states.
    #[doc(hidden)]
    fn read<'c>(call: &'c Call<'_>) -> Result<Self::Storage<'c>, ModelError>;
}

/// The state of a call with one request.
pub struct StateGuard<'c, S>(RefMut<'c, S>);

impl<S> StateGuard<'_, S> {
    /// Returns a value that the argument is borrowed from.
    pub fn reborrow(&mut self) -> &mut Self {
        self
    }

    /// Returns the argument.
    pub fn argument(&mut self) -> &mut S {
        &mut self.0
    }
}

/// The states of a call with several requests.
pub struct StateGuards<'c, S>(Vec<RefMut<'c, S>>);

impl<S> StateGuards<'_, S> {
    /// Returns a value that the argument is borrowed from.
    pub fn reborrow(&mut self) -> StateReferences<'_, S> {
        let states = self.0.iter_mut();
        StateReferences(states.map(|state| &mut **state).collect())
    }
}

/// References to the states, as the function takes them.
pub struct StateReferences<'c, S>(Vec<&'c mut S>);

impl<'c, S> StateReferences<'c, S> {
    /// Returns the argument.
    pub fn argument(&mut self) -> &mut [&'c mut S] {
        &mut self.0
    }

    /// Returns all references.
    pub(crate) fn into_states(self) -> Vec<&'c mut S> {
        self.0
    }
}

impl<S: 'static> SequenceParameter for &mut S {
    const DECLARED: Declared = Declared::State { each: false };
    type State = S;
    type Storage<'c> = StateGuard<'c, S>;

    fn read<'c>(call: &'c Call<'_>) -> Result<Self::Storage<'c>, ModelError> {
        let state = call.states.and_then(<[_]>::first);
        state
            .and_then(borrow_state)
            .map(StateGuard)
            .ok_or_else(|| no_state(call))
    }
}

impl<S: 'static> SequenceParameter for &mut [&mut S] {
    const DECLARED: Declared = Declared::State { each: true };
    type State = S;
    type Storage<'c> = StateGuards<'c, S>;

    fn read<'c>(call: &'c Call<'_>) -> Result<Self::Storage<'c>, ModelError> {
        let states = call.states.unwrap_or_default().iter();
        let states: Option<Vec<_>> = states.map(borrow_state).collect();
        states.map(StateGuards).ok_or_else(|| no_state(call))
    }
}

/// Borrows a state if it has this type.
fn borrow_state<S: 'static>(state: &RefCell<State>) -> Option<RefMut<'_, S>> {
    let state = state.try_borrow_mut().ok()?;
    RefMut::filter_map(state, |state| state.downcast_mut()).ok()
}

fn no_state(call: &Call<'_>) -> ModelError {
    ModelError::internal(call.context().model(), &"the call has no sequence state")
}

impl<S> fmt::Debug for StateGuard<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StateGuard")
    }
}

impl<S> fmt::Debug for StateGuards<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StateGuards")
    }
}

impl<S> fmt::Debug for StateReferences<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StateReferences")
    }
}
