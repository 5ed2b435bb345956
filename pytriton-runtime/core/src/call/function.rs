use std::fmt;
use std::sync::Arc;

use super::{
    Call, CallResult, Context, Execution, Instance, LoadedInstance, Loader, ModelError, Sequenced,
    Start, Started, Starts, executed,
};

/// How to call a function with a state of type `S` (`()` without a state). Used by generated code.
pub enum Calling<S> {
    /// A synchronous function.
    AtOnce(fn(&S, &Call<'_>) -> CallResult),
    /// An asynchronous function, which may wait without blocking its thread.
    Awaited(for<'a> fn(&'a S, &'a Call<'a>) -> Execution<'a>),
}

/// Creates the instances of a function. Used by generated code.
#[derive(Clone, Copy)]
pub enum Loading {
    /// A function without a state.
    Stateless(Calling<()>),
    /// Creates the state.
    Stated(fn(&Context) -> Result<LoadedInstance, ModelError>),
}

/// A function and its state, which form an instance.
pub struct Function<S> {
    state: S,
    calling: Calling<S>,
}

/// A function with a state for each sequence, and the function that creates these.
struct Starting<S> {
    function: Function<S>,
    start: fn(&S, &Start<'_>) -> Started,
}

impl<S> Function<S> {
    pub(super) const fn new(state: S, calling: Calling<S>) -> Self {
        Self { state, calling }
    }
}

impl From<Loading> for Loader {
    fn from(loading: Loading) -> Self {
        match loading {
            Loading::Stateless(calling) => Arc::new(move |_: &Context| {
                let function = Function::new((), calling);
                Ok(LoadedInstance::Movable(Box::new(function)))
            }),
            Loading::Stated(load) => Arc::new(load),
        }
    }
}

/// Creates an instance of a function with a state for each sequence.
///
/// # Errors
///
/// None. The return type is that of loaders.
pub fn sequenced<S: 'static>(
    context: &Context,
    state: S,
    calling: Calling<S>,
    start: fn(&S, &Start<'_>) -> Started,
) -> Result<LoadedInstance, ModelError> {
    let function = Function::new(state, calling);
    let starting = Starting { function, start };
    Ok(LoadedInstance::Local(Box::new(Sequenced::new(
        context, starting,
    ))))
}

impl<S> Instance for Function<S> {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        match self.calling {
            // A function that never waits completes here.
            Calling::AtOnce(function) => executed(function(&self.state, call)),
            Calling::Awaited(function) => function(&self.state, call),
        }
    }

    fn execute_at_once(&self, call: &Call<'_>) -> Option<CallResult> {
        match self.calling {
            Calling::AtOnce(function) => Some(function(&self.state, call)),
            Calling::Awaited(_) => None,
        }
    }

    fn is_async(&self) -> bool {
        matches!(self.calling, Calling::Awaited(_))
    }
}

impl<S> Instance for Starting<S> {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        self.function.execute(call)
    }

    fn is_async(&self) -> bool {
        self.function.is_async()
    }
}

impl<S> Starts for Starting<S> {
    fn start(&self, start: &Start<'_>) -> Started {
        (self.start)(&self.function.state, start)
    }
}

impl<S> Clone for Calling<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Calling<S> {}

impl fmt::Debug for Loading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Loading")
    }
}

impl<S> fmt::Debug for Calling<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Calling")
    }
}

impl<S> fmt::Debug for Function<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Function")
    }
}
