use std::fmt;
use std::sync::Arc;

use crate::call::Loader;
use crate::error::Error;
use crate::model::CallMode;

use super::into_responses::{IntoResponses, returned};
use super::{FunctionCall, FunctionMode, Stateful};

use super::states::{SequenceKind, StateKind};
use super::unit::CallUnit;

/// The function of a [`Model`](super::Model): a closure, and which requests one call processes.
///
/// An array or `Vec` of functions provides one for each instance.
///
/// # Examples
///
/// ```
/// use ndarray::Ix2;
/// use pytriton_core::runtime_models::{Function, PerBatch, PerRequest};
///
/// let double = Function::new(PerBatch, |call| Ok(&call.array::<f32, Ix2>("x")? * 2.0));
/// let slow = Function::new_async(PerRequest, async |call| {
///     tokio::time::sleep(std::time::Duration::from_millis(1)).await;
///     Ok(call.array::<f32, Ix2>("x")?.into_owned())
/// });
/// let counting = Function::new(PerBatch.stateful(|_| Ok(0.0)), |call| {
///     *call.state += 1.0;
///     Ok(&call.array::<f32, Ix2>("x")? * 0.0 + *call.state)
/// });
/// ```
#[derive(Clone)]
pub struct Function {
    pub(super) call: CallMode,
    /// One for all instances, or one for each instance.
    pub(super) loaders: Vec<Loader>,
    /// Whether the functions are of different kinds.
    pub(super) mixed: bool,
    /// Whether the function takes the state of a sequence.
    pub(super) sequences: bool,
    /// Whether the function is decoupled.
    pub(super) decoupled: bool,
    /// Whether a call of any of the functions may wait without blocking its thread.
    pub(super) waits: bool,
    /// Whether any thread may call each instance.
    pub(super) movable: bool,
}

/// The state of an instance, as a function receives it.
type Exclusive<'a, M> = <<M as FunctionMode>::State as StateKind>::Exclusive<'a>;
/// The state of an instance, as an `async` function receives it.
type Shared<'a, M> = <<M as FunctionMode>::State as StateKind>::Shared<'a>;
/// The states of the sequences of a call, as a function receives them.
type Sequences<'a, M> =
    <<M as FunctionMode>::Sequence as SequenceKind>::States<'a, <M as FunctionMode>::Unit>;
/// Whether the responses are for the whole call, or for each request.
type Responses<M> = <<M as FunctionMode>::Unit as CallUnit>::Responses;

impl Function {
    /// Creates a function from a closure or function that takes a [`FunctionCall`].
    ///
    /// The mode is [`PerBatch`](super::PerBatch), [`PerRequest`](super::PerRequest) or
    /// [`Raw`](super::Raw), with or without states. [`IntoResponses`] lists what the function
    /// returns.
    ///
    /// # Examples
    ///
    /// A function that returns an iterator sends one response for each item:
    ///
    /// ```
    /// use ndarray::Ix2;
    /// use pytriton_core::runtime_models::{Function, PerBatch};
    ///
    /// let halves = Function::new(PerBatch, |call| {
    ///     let x = call.array::<f32, Ix2>("x")?.into_owned();
    ///     Ok((0..3).map(move |times| Ok(&x / 2.0_f32.powi(times))))
    /// });
    /// ```
    pub fn new<M, F, A, V>(mode: M, function: F) -> Self
    where
        M: FunctionMode,
        F: Fn(FunctionCall<'_, M::Unit, Exclusive<'_, M>, Sequences<'_, M>>) -> Result<A, Error>
            + Send
            + Sync
            + 'static,
        A: IntoResponses<Responses<M>, V>,
    {
        let mode = mode.into_stateful();
        let kind = Self::of(&mode, A::DECOUPLED, A::WAITS);
        kind.with(mode.exclusive(A::WAITS, move |state, call| {
            let result = M::Sequence::guards::<M::Unit>(call).and_then(|mut guards| {
                let states = M::Sequence::states::<M::Unit>(&mut guards);
                let mut state = state.borrow_mut();
                let state = M::State::exclusive(&mut state);
                returned(
                    call,
                    function(FunctionCall::new(call, A::SENDS, state, states)),
                )
            });
            A::respond(result, call, false)
        }))
    }

    /// Creates a function from an `async` closure or function.
    ///
    /// While it waits, its instance executes other batches in flight. They share the state of the
    /// instance.
    pub fn new_async<M, F, A, V>(mode: M, function: F) -> Self
    where
        M: FunctionMode,
        F: AsyncFn(FunctionCall<'_, M::Unit, Shared<'_, M>, Sequences<'_, M>>) -> Result<A, Error>
            + Send
            + Sync
            + 'static,
        A: IntoResponses<Responses<M>, V>,
    {
        let mode = mode.into_stateful();
        let function = Arc::new(function);
        let kind = Self::of(&mode, A::DECOUPLED, true);
        kind.with(mode.shared(move |state, call| {
            let function = Arc::clone(&function);
            Box::pin(async move {
                let result = match M::Sequence::guards::<M::Unit>(call) {
                    Ok(mut guards) => {
                        let states = M::Sequence::states::<M::Unit>(&mut guards);
                        let argument =
                            FunctionCall::new(call, A::SENDS, M::State::shared(state), states);
                        returned(call, function(argument).await)
                    }
                    Err(error) => Err(error),
                };
                A::respond(result, call, true).await
            })
        }))
    }

    fn of<U: CallUnit, S: StateKind, Q>(
        mode: &Stateful<U, S, Q>,
        decoupled: bool,
        waits: bool,
    ) -> Self {
        Self {
            call: U::MODE,
            loaders: Vec::new(),
            mixed: false,
            sequences: mode.has_sequences(),
            decoupled,
            waits,
            movable: mode.movable,
        }
    }

    fn with(self, loader: Loader) -> Self {
        Self {
            loaders: vec![loader],
            ..self
        }
    }

    /// Returns the kind of call, whether it takes states of sequences, and whether it is decoupled.
    fn kind(&self) -> (CallMode, bool, bool) {
        (self.call, self.sequences, self.decoupled)
    }

    /// Returns the loader of the instances.
    pub(super) fn loader(&self) -> Loader {
        if let [loader] = self.loaders.as_slice() {
            return Arc::clone(loader);
        }
        let loaders = self.loaders.clone();
        Arc::new(move |context| {
            // There are as many instances as loaders.
            let loader = &loaders[context.instance() as usize % loaders.len()];
            loader(context)
        })
    }
}

impl From<Vec<Self>> for Function {
    /// Combines the functions of a model's instances, in order.
    fn from(functions: Vec<Self>) -> Self {
        let first = functions.first();
        let kind = first.map_or((CallMode::Batch, false, false), Self::kind);
        let (call, sequences, decoupled) = kind;
        Self {
            call,
            sequences,
            decoupled,
            mixed: functions
                .iter()
                .any(|other| other.mixed || other.kind() != kind),
            waits: functions.iter().any(|function| function.waits),
            movable: functions.iter().all(|function| function.movable),
            loaders: functions
                .into_iter()
                .flat_map(|function| function.loaders)
                .collect(),
        }
    }
}

impl<const N: usize> From<[Self; N]> for Function {
    fn from(functions: [Self; N]) -> Self {
        Vec::from(functions).into()
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Function")
            .field("call", &self.call)
            .field("functions", &self.loaders.len())
            .finish()
    }
}

#[cfg(test)]
#[path = "function_tests.rs"]
mod tests;
