use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use crate::call::{Call, Context, Execution, IntoState, LoadedInstance, ModelError};
use crate::error::Error;
use crate::model::CallMode;
use crate::request::{Request, Sequence};

use super::instance::{OnState, StatefulInstance, WaitingOnState, WaitingStatefulInstance};
use super::into_outputs::{call_outputs, each};
use super::{Function, Inputs, IntoOutputs, StatefulPerSequence};

/// A state for each instance of a model. The methods set the function.
///
/// # Examples
///
/// ```
/// use ndarray::Ix2;
/// use pytriton_core::runtime_models::Function;
///
/// let counting = Function::stateful(|_| Ok(0.0)).batch(|calls: &mut f32, inputs| {
///     *calls += 1.0;
///     Ok(&inputs.array::<f32, Ix2>("x")? * 0.0 + *calls)
/// });
/// ```
pub struct Stateful<S> {
    load: Arc<MakeState<S>>,
    instance: fn(StatefulInstance<S>) -> LoadedInstance,
    movable: bool,
}

pub(super) type MakeState<S> = dyn Fn(&Context) -> Result<S, Error> + Send + Sync;

impl<S: 'static> Stateful<S> {
    pub(super) fn new(load: impl Fn(&Context) -> Result<S, Error> + Send + Sync + 'static) -> Self {
        Self {
            load: Arc::new(load),
            instance: |instance| LoadedInstance::Local(Box::new(instance)),
            movable: false,
        }
    }

    /// Lets any thread call the function, one call of an instance at a time.
    /// [`Model::inline`](super::Model::inline) needs this.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::cell::Cell;
    ///
    /// use ndarray::Ix2;
    /// use pytriton_core::runtime_models::{Function, Input, Model, Output};
    ///
    /// let counting = Function::stateful(|_| Ok(Cell::new(0.0)))
    ///     .movable()
    ///     .batch(|calls: &mut Cell<f32>, inputs| {
    ///         calls.set(calls.get() + 1.0);
    ///         Ok(&inputs.array::<f32, Ix2>("x")? * 0.0 + calls.get())
    ///     });
    /// let model = Model::new("Counting")
    ///     .input(Input::new::<f32>("x", [-1]))
    ///     .output(Output::new::<f32>("y", [-1]))
    ///     .inline(true);
    /// assert!(model.registration(&counting).is_ok());
    /// ```
    ///
    /// A state that is not `Send` does not compile:
    ///
    /// ```compile_fail,E0277
    /// use std::rc::Rc;
    ///
    /// use pytriton_core::runtime_models::Function;
    ///
    /// let shared = Function::stateful(|_| Ok(Rc::new(0.0))).movable();
    /// ```
    pub fn movable(self) -> Self
    where
        S: Send,
    {
        Self {
            instance: |instance| LoadedInstance::Movable(Box::new(instance)),
            movable: true,
            ..self
        }
    }

    /// Adds a state for each sequence. `start` creates it when the sequence starts.
    pub fn per_sequence<F, Q>(self, start: F) -> StatefulPerSequence<S, Q>
    where
        F: Fn(&S, &Sequence, &Context) -> Result<Q, Error> + Send + Sync + 'static,
        Q: 'static,
    {
        StatefulPerSequence::new(self.load, start)
    }

    /// Like [`Function::batch`].
    pub fn batch<F, A>(self, function: F) -> Function
    where
        F: Fn(&mut S, &Inputs<'_>) -> Result<A, Error> + Send + Sync + 'static,
        A: IntoOutputs,
    {
        let function = move |state: &mut S, call: &Call<'_>| {
            call_outputs(call, function(state, &Inputs::new(call)))
        };
        self.on_state(CallMode::Batch, Arc::new(function))
    }

    /// Like [`Function::sample`].
    pub fn sample<F, A>(self, function: F) -> Function
    where
        F: Fn(&mut S, &Inputs<'_>) -> Result<A, Error> + Send + Sync + 'static,
        A: IntoOutputs,
    {
        Function {
            call: CallMode::Request,
            ..self.batch(function)
        }
    }

    /// Like [`Function::raw`].
    pub fn raw<F, A>(self, function: F) -> Function
    where
        F: Fn(&mut S, &[Request]) -> Result<Vec<Result<A, Error>>, Error> + Send + Sync + 'static,
        A: IntoOutputs,
    {
        let function =
            move |state: &mut S, call: &Call<'_>| each(call, function(state, call.requests()));
        self.on_state(CallMode::Raw, Arc::new(function))
    }

    /// Like [`Function::async_batch`]. Concurrent calls share the state.
    pub fn async_batch<F, A>(self, function: F) -> Function
    where
        F: AsyncFn(&S, &Inputs<'_>) -> Result<A, Error> + Send + Sync + 'static,
        A: IntoOutputs,
    {
        let function = Arc::new(function);
        self.waiting(CallMode::Batch, move |state, call| {
            let function = Arc::clone(&function);
            Box::pin(async move { call_outputs(call, function(state, &Inputs::new(call)).await) })
        })
    }

    /// Like [`Function::async_sample`]. Concurrent calls share the state.
    pub fn async_sample<F, A>(self, function: F) -> Function
    where
        F: AsyncFn(&S, &Inputs<'_>) -> Result<A, Error> + Send + Sync + 'static,
        A: IntoOutputs,
    {
        Function {
            call: CallMode::Request,
            ..self.async_batch(function)
        }
    }

    /// Like [`Function::async_raw`]. Concurrent calls share the state.
    pub fn async_raw<F, A>(self, function: F) -> Function
    where
        F: AsyncFn(&S, &[Request]) -> Result<Vec<Result<A, Error>>, Error> + Send + Sync + 'static,
        A: IntoOutputs,
    {
        let function = Arc::new(function);
        self.waiting(CallMode::Raw, move |state, call| {
            let function = Arc::clone(&function);
            Box::pin(async move { each(call, function(state, call.requests()).await) })
        })
    }

    fn on_state(self, call: CallMode, function: Arc<OnState<S>>) -> Function {
        let movable = self.movable;
        let function = Function::new(call, move |context| {
            Ok((self.instance)(StatefulInstance {
                state: RefCell::new(self.state(context)?),
                function: Arc::clone(&function),
            }))
        });
        Function {
            movable,
            ..function
        }
    }

    fn waiting<F>(self, call: CallMode, function: F) -> Function
    where
        F: for<'a> Fn(&'a S, &'a Call<'a>) -> Execution<'a> + Send + Sync + 'static,
    {
        let function: Arc<WaitingOnState<S>> = Arc::new(function);
        let function = Function::new(call, move |context| {
            let instance = WaitingStatefulInstance {
                state: self.state(context)?,
                function: Arc::clone(&function),
            };
            Ok(LoadedInstance::Local(Box::new(instance)))
        });
        Function {
            is_async: true,
            ..function
        }
    }

    fn state(&self, context: &Context) -> Result<S, ModelError> {
        (self.load)(context).into_state(context)
    }
}

impl<S> fmt::Debug for Stateful<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stateful")
    }
}
