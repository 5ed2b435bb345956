use std::fmt;
use std::sync::Arc;

use crate::call::Context;
use crate::error::Error;
use crate::request::{Request, Sequence};

use super::{Function, Inputs, IntoOutputs, StatefulPerSequence};

/// A state for each sequence of requests. The methods set the function.
///
/// The state stays on the thread of its sequence's instance and need not be `Send`. It is dropped
/// when its sequence ends, restarts or is idle for too long, or when the function panics.
///
/// # Examples
///
/// ```
/// use ndarray::{Ix2, array};
/// use pytriton_core::runtime_models::Function;
///
/// let summing = Function::per_sequence(|_, _| Ok(0.0)).sample(|sum: &mut f32, inputs| {
///     *sum += inputs.array::<f32, Ix2>("x")?.sum();
///     Ok(array![[*sum]])
/// });
/// ```
pub struct PerSequence<S>(StatefulPerSequence<(), S>);

impl<S: 'static> PerSequence<S> {
    pub(super) fn new(
        start: impl Fn(&Sequence, &Context) -> Result<S, Error> + Send + Sync + 'static,
    ) -> Self {
        let start = move |(): &(), sequence: &Sequence, context: &Context| start(sequence, context);
        Self(StatefulPerSequence::new(Arc::new(|_| Ok(())), start))
    }

    /// Like [`Function::sample`], with the state of the request's sequence.
    pub fn sample<F, A>(self, function: F) -> Function
    where
        F: Fn(&mut S, &Inputs<'_>) -> Result<A, Error> + Send + Sync + 'static,
        A: IntoOutputs,
    {
        let Self(all) = self;
        all.sample(move |(), state, inputs| function(state, inputs))
    }

    /// Like [`Function::batch`], with the states of all rows.
    pub fn batch<F, A>(self, function: F) -> Function
    where
        F: Fn(&mut [&mut S], &Inputs<'_>) -> Result<A, Error> + Send + Sync + 'static,
        A: IntoOutputs,
    {
        let Self(all) = self;
        all.batch(move |(), states, inputs| function(states, inputs))
    }

    /// Like [`Function::raw`], with the states of all requests.
    pub fn raw<F, A>(self, function: F) -> Function
    where
        F: Fn(&mut [&mut S], &[Request]) -> Result<Vec<Result<A, Error>>, Error>
            + Send
            + Sync
            + 'static,
        A: IntoOutputs,
    {
        let Self(all) = self;
        all.raw(move |(), states, requests| function(states, requests))
    }

    /// Like [`sample`](Self::sample), but `async`.
    pub fn async_sample<F, A>(self, function: F) -> Function
    where
        F: AsyncFn(&mut S, &Inputs<'_>) -> Result<A, Error> + Send + Sync + 'static,
        A: IntoOutputs,
    {
        let Self(all) = self;
        all.async_sample(async move |(): &(), state: &mut S, inputs: &Inputs<'_>| {
            function(state, inputs).await
        })
    }

    /// Like [`batch`](Self::batch), but `async`.
    pub fn async_batch<F, A>(self, function: F) -> Function
    where
        F: AsyncFn(&mut [&mut S], &Inputs<'_>) -> Result<A, Error> + Send + Sync + 'static,
        A: IntoOutputs,
    {
        let Self(all) = self;
        all.async_batch(
            async move |(): &(), states: &mut [&mut S], inputs: &Inputs<'_>| {
                function(states, inputs).await
            },
        )
    }

    /// Like [`raw`](Self::raw), but `async`.
    pub fn async_raw<F, A>(self, function: F) -> Function
    where
        F: AsyncFn(&mut [&mut S], &[Request]) -> Result<Vec<Result<A, Error>>, Error>
            + Send
            + Sync
            + 'static,
        A: IntoOutputs,
    {
        let Self(all) = self;
        all.async_raw(
            async move |(): &(), states: &mut [&mut S], requests: &[Request]| {
                function(states, requests).await
            },
        )
    }
}

impl<S> fmt::Debug for PerSequence<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PerSequence")
    }
}
