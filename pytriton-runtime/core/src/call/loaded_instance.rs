use std::fmt;
use std::marker::PhantomData;

use super::{Calling, Function, Instance};

/// An instance that has been loaded.
#[derive(Debug)]
pub enum LoadedInstance {
    /// Only the thread that loaded the instance may call it: its state is not `Send`.
    Local(Box<dyn Instance>),
    /// Any thread may call the instance, one call at a time.
    Movable(Box<dyn Instance + Send>),
}

impl LoadedInstance {
    /// Returns an instance that stays on its thread.
    pub fn into_local(self) -> Box<dyn Instance> {
        match self {
            Self::Local(instance) => instance,
            Self::Movable(instance) => instance,
        }
    }
}

/// Selects the kind of instance by the type of its state. Used by generated code.
pub struct StateKind<S>(PhantomData<fn() -> S>);

impl<S> StateKind<S> {
    /// The value for method lookup.
    pub const NEW: Self = Self(PhantomData);
}

impl<S> fmt::Debug for StateKind<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StateKind")
    }
}

/// Creates an instance from a state that is `Send`.
pub trait SendState<S> {
    /// Returns an instance with this state.
    fn instance(&self, state: S, calling: Calling<S>) -> LoadedInstance;
}

impl<S: Send + 'static> SendState<S> for StateKind<S> {
    fn instance(&self, state: S, calling: Calling<S>) -> LoadedInstance {
        LoadedInstance::Movable(Box::new(Function::new(state, calling)))
    }
}

/// Creates an instance from any other state. Method lookup finds it only if [`SendState`] does not
/// apply.
pub trait LocalState<S> {
    /// Returns an instance with this state.
    fn instance(&self, state: S, calling: Calling<S>) -> LoadedInstance;
}

impl<S: 'static> LocalState<S> for &StateKind<S> {
    fn instance(&self, state: S, calling: Calling<S>) -> LoadedInstance {
        LoadedInstance::Local(Box::new(Function::new(state, calling)))
    }
}

/// The state of a model with `inline = true`.
#[diagnostic::on_unimplemented(
    message = "the state of a model with `inline = true` must be `Send`",
    label = "cannot be sent between threads",
    note = "threads that serve connections call the function: make `{Self}` `Send`, or remove `inline = true`"
)]
pub trait InlineState {}

#[diagnostic::do_not_recommend]
impl<S: Send> InlineState for S {}

/// Checks at compile time that a model with `inline = true` can have this state. Used by generated
/// code.
pub const fn inline_state<S: InlineState>() {}
