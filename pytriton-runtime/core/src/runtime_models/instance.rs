use std::sync::Arc;

use crate::call::{Call, Execution, Instance, Start, Started, Starts};

/// Calls the function with the state of an instance.
pub(super) type Execute<S> = dyn for<'a> Fn(&'a S, &'a Call<'a>) -> Execution<'a> + Send + Sync;

/// Creates the state of a sequence, of any type.
pub(super) type StartOn<S> = dyn Fn(&S, &Start<'_>) -> Started + Send + Sync;

/// The state of an instance and its function. `S` is `()` without a state.
pub(super) struct FunctionInstance<S> {
    pub(super) state: S,
    pub(super) execute: Arc<Execute<S>>,
    /// Whether a call may wait without blocking its thread.
    pub(super) waits: bool,
}

impl<S> Instance for FunctionInstance<S> {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        (self.execute)(&self.state, call)
    }

    fn is_async(&self) -> bool {
        self.waits
    }
}

/// An instance whose function has a state for each sequence.
pub(super) struct Starting<S> {
    pub(super) instance: FunctionInstance<S>,
    pub(super) start: Arc<StartOn<S>>,
}

impl<S> Instance for Starting<S> {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        self.instance.execute(call)
    }

    fn is_async(&self) -> bool {
        self.instance.waits
    }
}

impl<S> Starts for Starting<S> {
    fn start(&self, start: &Start<'_>) -> Started {
        (self.start)(&self.instance.state, start)
    }
}
