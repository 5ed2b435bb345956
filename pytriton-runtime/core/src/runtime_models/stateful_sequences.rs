use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::call::{
    Call, CallResult, Context, Execution, Instance, IntoState, LoadedInstance, SequenceParameter,
    Sequenced, Start, Started, Starts, model_error,
};
use crate::error::Error;
use crate::model::CallMode;
use crate::request::{Request, Sequence};

use super::instance::WaitingOnState;
use super::into_outputs::{call_outputs, each};
use super::stateful::MakeState;
use super::{Function, Inputs, IntoOutputs};

/// A state for each instance of a model and one for each sequence. The methods set the function.
///
/// All sequences of an instance share its state, so the function receives a shared reference. Both
/// states stay on the thread of the instance and need not be `Send`.
///
/// # Examples
///
/// ```
/// use ndarray::{Ix2, array};
/// use pytriton_core::runtime_models::Function;
///
/// let scale = |_: &_| Ok(0.5_f32);
/// let summing = Function::stateful(scale)
///     .per_sequence(|_, _, _| Ok(0.0))
///     .sample(|scale, sum: &mut f32, inputs| {
///         *sum += scale * inputs.array::<f32, Ix2>("x")?.sum();
///         Ok(array![[*sum]])
///     });
/// ```
pub struct StatefulPerSequence<I, S> {
    load: Arc<MakeState<I>>,
    start: Arc<StartOn<I>>,
    state: PhantomData<fn() -> S>,
}

/// Creates the state of a sequence, of any type.
type StartOn<I> = dyn Fn(&I, &Start<'_>) -> Started + Send + Sync;

impl<I: 'static, S: 'static> StatefulPerSequence<I, S> {
    pub(super) fn new(
        load: Arc<MakeState<I>>,
        start: impl Fn(&I, &Sequence, &Context) -> Result<S, Error> + Send + Sync + 'static,
    ) -> Self {
        let start = move |state: &I, begun: &Start<'_>| -> Started {
            match start(state, begun.sequence, begun.context) {
                Ok(state) => Ok(Box::new(state)),
                Err(error) => Err(model_error(begun.context.model(), error)),
            }
        };
        Self {
            load,
            start: Arc::new(start),
            state: PhantomData,
        }
    }

    /// Like [`Function::sample`], with the state of the request's sequence.
    pub fn sample<F, A>(self, function: F) -> Function
    where
        F: Fn(&I, &mut S, &Inputs<'_>) -> Result<A, Error> + Send + Sync + 'static,
        A: IntoOutputs,
    {
        self.plain(CallMode::Request, move |own, call| {
            let mut state = <&mut S>::read(call)?;
            let inputs = Inputs::new(call);
            call_outputs(call, function(own, state.reborrow().argument(), &inputs))
        })
    }

    /// Like [`Function::batch`], with the states of all rows.
    pub fn batch<F, A>(self, function: F) -> Function
    where
        F: Fn(&I, &mut [&mut S], &Inputs<'_>) -> Result<A, Error> + Send + Sync + 'static,
        A: IntoOutputs,
    {
        self.plain(CallMode::Batch, move |own, call| {
            let mut states = <&mut [&mut S]>::read(call)?;
            let inputs = Inputs::new(call);
            call_outputs(call, function(own, states.reborrow().argument(), &inputs))
        })
    }

    /// Like [`Function::raw`], with the states of all requests.
    pub fn raw<F, A>(self, function: F) -> Function
    where
        F: Fn(&I, &mut [&mut S], &[Request]) -> Result<Vec<Result<A, Error>>, Error>
            + Send
            + Sync
            + 'static,
        A: IntoOutputs,
    {
        self.plain(CallMode::Raw, move |own, call| {
            let mut states = <&mut [&mut S]>::read(call)?;
            let requests = call.requests();
            each(call, function(own, states.reborrow().argument(), requests))
        })
    }

    /// Like [`sample`](Self::sample), but `async`.
    pub fn async_sample<F, A>(self, function: F) -> Function
    where
        F: AsyncFn(&I, &mut S, &Inputs<'_>) -> Result<A, Error> + Send + Sync + 'static,
        A: IntoOutputs,
    {
        let function = Arc::new(function);
        self.waiting(CallMode::Request, move |own, call| {
            let function = Arc::clone(&function);
            Box::pin(async move {
                let mut state = <&mut S>::read(call)?;
                let inputs = Inputs::new(call);
                call_outputs(
                    call,
                    function(own, state.reborrow().argument(), &inputs).await,
                )
            })
        })
    }

    /// Like [`batch`](Self::batch), but `async`.
    pub fn async_batch<F, A>(self, function: F) -> Function
    where
        F: AsyncFn(&I, &mut [&mut S], &Inputs<'_>) -> Result<A, Error> + Send + Sync + 'static,
        A: IntoOutputs,
    {
        let function = Arc::new(function);
        self.waiting(CallMode::Batch, move |own, call| {
            let function = Arc::clone(&function);
            Box::pin(async move {
                let mut states = <&mut [&mut S]>::read(call)?;
                let inputs = Inputs::new(call);
                call_outputs(
                    call,
                    function(own, states.reborrow().argument(), &inputs).await,
                )
            })
        })
    }

    /// Like [`raw`](Self::raw), but `async`.
    pub fn async_raw<F, A>(self, function: F) -> Function
    where
        F: AsyncFn(&I, &mut [&mut S], &[Request]) -> Result<Vec<Result<A, Error>>, Error>
            + Send
            + Sync
            + 'static,
        A: IntoOutputs,
    {
        let function = Arc::new(function);
        self.waiting(CallMode::Raw, move |own, call| {
            let function = Arc::clone(&function);
            Box::pin(async move {
                let mut states = <&mut [&mut S]>::read(call)?;
                let answers = function(own, states.reborrow().argument(), call.requests()).await;
                each(call, answers)
            })
        })
    }

    fn plain<F>(self, call: CallMode, function: F) -> Function
    where
        F: Fn(&I, &Call<'_>) -> CallResult + Send + Sync + 'static,
    {
        self.on(call, Run::Plain(Arc::new(function)))
    }

    fn waiting<F>(self, call: CallMode, function: F) -> Function
    where
        F: for<'a> Fn(&'a I, &'a Call<'a>) -> Execution<'a> + Send + Sync + 'static,
    {
        self.on(call, Run::Waiting(Arc::new(function)))
    }

    fn on(self, call: CallMode, run: Run<I>) -> Function {
        let Self { load, start, .. } = self;
        let function = Function::new(call, move |context| {
            let starting = Starting {
                state: load(context).into_state(context)?,
                run: run.clone(),
                start: Arc::clone(&start),
            };
            let sequenced = Sequenced::new(context, starting);
            Ok(LoadedInstance::Local(Box::new(sequenced)))
        });
        Function {
            sequences: true,
            ..function
        }
    }
}

/// A function with the state of an instance.
enum Run<I> {
    Plain(Arc<PlainOnState<I>>),
    Waiting(Arc<WaitingOnState<I>>),
}

type PlainOnState<I> = dyn Fn(&I, &Call<'_>) -> CallResult + Send + Sync;

/// Does not require `I: Clone`.
impl<I> Clone for Run<I> {
    fn clone(&self) -> Self {
        match self {
            Self::Plain(function) => Self::Plain(Arc::clone(function)),
            Self::Waiting(function) => Self::Waiting(Arc::clone(function)),
        }
    }
}

/// The state of an instance, the function, and the closure that creates the states of sequences.
struct Starting<I> {
    state: I,
    run: Run<I>,
    start: Arc<StartOn<I>>,
}

impl<I> Instance for Starting<I> {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        match &self.run {
            Run::Plain(function) => Box::pin(async move { function(&self.state, call) }),
            Run::Waiting(function) => function(&self.state, call),
        }
    }

    fn is_async(&self) -> bool {
        matches!(self.run, Run::Waiting(_))
    }
}

impl<I> Starts for Starting<I> {
    fn start(&self, start: &Start<'_>) -> Started {
        (self.start)(&self.state, start)
    }
}

impl<I, S> fmt::Debug for StatefulPerSequence<I, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StatefulPerSequence")
    }
}
