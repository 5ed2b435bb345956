//! Functions that the expansion of `#[pytriton::test]` calls.

use pytriton_runtime::model_call::Call;
use pytriton_runtime::server::{Builder, ServerError};

use super::{Loaded, load_registered_with};

/// A parameter of a function with [`#[pytriton::test]`](crate::test): a [`Call`], or [`&Loaded`].
///
/// Sealed.
///
/// [`&Loaded`]: Loaded
#[diagnostic::on_unimplemented(
    message = "a test cannot take a parameter of type `{Self}`",
    label = "unsupported type",
    note = "take `Call<_>` of a model with the option `client = …`, or `&Loaded`"
)]
pub trait TestParameter<'a>: sealed::Sealed {
    /// Returns the value for a test with these models.
    #[doc(hidden)]
    fn of(loaded: &'a Loaded) -> Self;
}

mod sealed {
    pub trait Sealed {}
}

impl sealed::Sealed for &Loaded {}

impl<'a> TestParameter<'a> for &'a Loaded {
    fn of(loaded: &'a Loaded) -> Self {
        loaded
    }
}

impl<M: crate::__typed::Model> sealed::Sealed for Call<M> {}

impl<M: crate::__typed::Model> TestParameter<'_> for Call<M> {
    fn of(loaded: &Loaded) -> Self {
        let call = loaded.call();
        call.unwrap_or_else(|| panic!("the models are stopped"))
    }
}

/// Pauses the clock before another change.
#[cfg(feature = "test-util")]
pub fn start_paused(change: impl FnOnce(Builder) -> Builder) -> impl FnOnce(Builder) -> Builder {
    |server| change(server.start_paused())
}

/// Loads the models, and calls a function.
///
/// # Panics
///
/// Panics if the models cannot be loaded.
pub fn run<R>(change: impl FnOnce(Builder) -> Builder, test: impl FnOnce(&Loaded) -> R) -> R {
    test(&loaded(change))
}

/// Loads the models, and blocks on an async function in the runtime of the engine.
///
/// # Panics
///
/// Panics if the models cannot be loaded.
pub fn run_async<R>(
    change: impl FnOnce(Builder) -> Builder,
    test: impl AsyncFnOnce(&Loaded) -> R,
) -> R {
    let loaded = loaded(change);
    let done = loaded.triton().block_on(test(&loaded));
    done.unwrap_or_else(|error| fail(&error))
}

fn loaded(change: impl FnOnce(Builder) -> Builder) -> Loaded {
    load_registered_with(change).unwrap_or_else(|error| fail(&error))
}

/// Fails the test, whose function may return nothing.
fn fail(error: &ServerError) -> ! {
    panic!("the models of the test cannot be loaded: {error}")
}
