use std::fmt;
use std::marker::PhantomData;

use crate::call::{Call, ModelError};

use super::sealed::Sealed;
use super::unit::CallUnit;

/// The kind of state that each instance has: [`NoState`] or [`Owned`]. It is sealed.
pub trait StateKind: Sealed + 'static {
    /// The value that the instance owns.
    #[doc(hidden)]
    type Value: 'static;
    /// The state as a function receives it.
    #[doc(hidden)]
    type Exclusive<'a>;
    /// The state as an `async` function receives it.
    #[doc(hidden)]
    type Shared<'a>;

    /// Returns the argument of a function.
    #[doc(hidden)]
    fn exclusive(value: &mut Self::Value) -> Self::Exclusive<'_>;

    /// Returns the argument of an `async` function.
    #[doc(hidden)]
    fn shared(value: &Self::Value) -> Self::Shared<'_>;
}

/// No state.
#[derive(Debug)]
pub struct NoState;

/// A state of type `S`.
pub struct Owned<S>(PhantomData<fn() -> S>);

impl Sealed for NoState {}

impl<S: 'static> Sealed for Owned<S> {}

impl StateKind for NoState {
    type Value = ();
    type Exclusive<'a> = ();
    type Shared<'a> = ();

    fn exclusive((): &mut ()) {}

    fn shared((): &()) {}
}

impl<S: 'static> StateKind for Owned<S> {
    type Value = S;
    type Exclusive<'a> = &'a mut S;
    type Shared<'a> = &'a S;

    fn exclusive(value: &mut S) -> &mut S {
        value
    }

    fn shared(value: &S) -> &S {
        value
    }
}

/// The kind of state that each sequence has: [`NoState`] or [`Owned`]. It is sealed.
pub trait SequenceKind: Sealed + 'static {
    /// The borrowed states of a call.
    #[doc(hidden)]
    type Guards<'c, U: CallUnit>;
    /// The states as a function receives them.
    #[doc(hidden)]
    type States<'a, U: CallUnit>;

    /// Borrows the states of a call.
    ///
    /// # Errors
    ///
    /// Returns a [`ModelError`] if the call has no states.
    #[doc(hidden)]
    fn guards<'c, U: CallUnit>(call: &'c Call<'_>) -> Result<Self::Guards<'c, U>, ModelError>;

    /// Returns the argument of a function.
    #[doc(hidden)]
    fn states<'a, U: CallUnit>(guards: &'a mut Self::Guards<'_, U>) -> Self::States<'a, U>;
}

impl SequenceKind for NoState {
    type Guards<'c, U: CallUnit> = ();
    type States<'a, U: CallUnit> = ();

    fn guards<U: CallUnit>(_: &Call<'_>) -> Result<(), ModelError> {
        Ok(())
    }

    fn states<U: CallUnit>((): &mut ()) {}
}

impl<Q: 'static> SequenceKind for Owned<Q> {
    type Guards<'c, U: CallUnit> = U::SequenceGuards<'c, Q>;
    type States<'a, U: CallUnit> = U::SequenceStates<'a, Q>;

    fn guards<'c, U: CallUnit>(call: &'c Call<'_>) -> Result<U::SequenceGuards<'c, Q>, ModelError> {
        U::sequences(call)
    }

    fn states<'a, U: CallUnit>(
        guards: &'a mut U::SequenceGuards<'_, Q>,
    ) -> U::SequenceStates<'a, Q> {
        U::states(guards)
    }
}

impl<S> fmt::Debug for Owned<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Owned")
    }
}
