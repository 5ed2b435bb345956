use std::cell::RefCell;
use std::sync::Arc;

use crate::call::{Call, CallResult, Execution, Instance};

/// A function without a state.
pub(super) type Plain = dyn Fn(&Call<'_>) -> CallResult + Send + Sync;
/// An `async` function without a state.
pub(super) type Waiting = dyn for<'a> Fn(&'a Call<'a>) -> Execution<'a> + Send + Sync;
/// A function with a state.
pub(super) type OnState<S> = dyn Fn(&mut S, &Call<'_>) -> CallResult + Send + Sync;
/// An `async` function with a state.
pub(super) type WaitingOnState<S> =
    dyn for<'a> Fn(&'a S, &'a Call<'a>) -> Execution<'a> + Send + Sync;

pub(super) struct PlainInstance(pub(super) Arc<Plain>);

impl Instance for PlainInstance {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move { (self.0)(call) })
    }
}

pub(super) struct WaitingInstance(pub(super) Arc<Waiting>);

impl Instance for WaitingInstance {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        (self.0)(call)
    }

    fn is_async(&self) -> bool {
        true
    }
}

pub(super) struct StatefulInstance<S> {
    /// A call ends before the next one begins.
    pub(super) state: RefCell<S>,
    pub(super) function: Arc<OnState<S>>,
}

impl<S> Instance for StatefulInstance<S> {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move { (self.function)(&mut self.state.borrow_mut(), call) })
    }
}

pub(super) struct WaitingStatefulInstance<S> {
    pub(super) state: S,
    pub(super) function: Arc<WaitingOnState<S>>,
}

impl<S> Instance for WaitingStatefulInstance<S> {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        (self.function)(&self.state, call)
    }

    fn is_async(&self) -> bool {
        true
    }
}
