use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::call::{
    Call, Context, Execution, Instance, SequenceParameter, Sequenced, Start, Started, Starts,
};
use crate::model::CallMode;
use crate::request::{Request, Sequence};

use super::answer::{each, whole};
use super::instance::{Answered, Plain, PlainInstance, Waiting, WaitingInstance};
use super::{Answer, Failure, Function, Inputs};

/// A state that each sequence of requests has for itself; the methods say what is called on it.
///
/// It stays on the thread of its sequence's instance, and need not be `Send`. It is dropped when its sequence ends, starts anew
/// or is idle for too long; a function that panics loses it.
///
/// # Examples
///
/// ```
/// use ndarray::{Ix2, array};
/// use pytriton_runtime::bound::Function;
///
/// let summing = Function::per_sequence(|_, _| Ok(0.0)).sample(|sum: &mut f32, inputs| {
///     *sum += inputs.array::<f32, Ix2>("x")?.sum();
///     Ok(array![[*sum]])
/// });
/// ```
pub struct PerSequence<S> {
    start: Arc<MakeState>,
    state: PhantomData<fn() -> S>,
}

/// Makes the state of a sequence, whatever its type.
type MakeState = dyn Fn(&Start<'_>) -> Started + Send + Sync;

impl<S: 'static> PerSequence<S> {
    pub(super) fn new(
        start: impl Fn(&Sequence, &Context) -> Result<S, Failure> + Send + Sync + 'static,
    ) -> Self {
        let start = move |begun: &Start<'_>| -> Started {
            match start(begun.sequence, begun.context) {
                Ok(state) => Ok(Box::new(state)),
                Err(failure) => Err(failure.of_call(begun.context.model())),
            }
        };
        Self {
            start: Arc::new(start),
            state: PhantomData,
        }
    }

    /// As [`Function::sample`], on the state of the request's sequence.
    pub fn sample<F, A>(self, function: F) -> Function
    where
        F: Fn(&mut S, &Inputs<'_>) -> Result<A, Failure> + Send + Sync + 'static,
        A: Answer,
    {
        self.plain(CallMode::Request, move |call| {
            let mut state = <&mut S>::read(call)?;
            whole(call, function(state.lend().argument(), &Inputs::new(call)))
        })
    }

    /// As [`Function::batch`], on the states of all rows.
    pub fn batch<F, A>(self, function: F) -> Function
    where
        F: Fn(&mut [&mut S], &Inputs<'_>) -> Result<A, Failure> + Send + Sync + 'static,
        A: Answer,
    {
        self.plain(CallMode::Batch, move |call| {
            let mut states = <&mut [&mut S]>::read(call)?;
            whole(call, function(states.lend().argument(), &Inputs::new(call)))
        })
    }

    /// As [`Function::raw`], on the states of all requests.
    pub fn raw<F, A>(self, function: F) -> Function
    where
        F: Fn(&mut [&mut S], &[Request]) -> Result<Vec<Result<A, Failure>>, Failure>
            + Send
            + Sync
            + 'static,
        A: Answer,
    {
        self.plain(CallMode::Raw, move |call| {
            let mut states = <&mut [&mut S]>::read(call)?;
            each(call, function(states.lend().argument(), call.requests()))
        })
    }

    /// As [`sample`](Self::sample), `async`.
    pub fn async_sample<F, A>(self, function: F) -> Function
    where
        F: AsyncFn(&mut S, &Inputs<'_>) -> Result<A, Failure> + Send + Sync + 'static,
        A: Answer,
    {
        let function = Arc::new(function);
        self.waiting(CallMode::Request, move |call| {
            let function = Arc::clone(&function);
            Box::pin(async move {
                let mut state = <&mut S>::read(call)?;
                let inputs = Inputs::new(call);
                whole(call, function(state.lend().argument(), &inputs).await)
            })
        })
    }

    /// As [`batch`](Self::batch), `async`.
    pub fn async_batch<F, A>(self, function: F) -> Function
    where
        F: AsyncFn(&mut [&mut S], &Inputs<'_>) -> Result<A, Failure> + Send + Sync + 'static,
        A: Answer,
    {
        let function = Arc::new(function);
        self.waiting(CallMode::Batch, move |call| {
            let function = Arc::clone(&function);
            Box::pin(async move {
                let mut states = <&mut [&mut S]>::read(call)?;
                let inputs = Inputs::new(call);
                whole(call, function(states.lend().argument(), &inputs).await)
            })
        })
    }

    /// As [`raw`](Self::raw), `async`.
    pub fn async_raw<F, A>(self, function: F) -> Function
    where
        F: AsyncFn(&mut [&mut S], &[Request]) -> Result<Vec<Result<A, Failure>>, Failure>
            + Send
            + Sync
            + 'static,
        A: Answer,
    {
        let function = Arc::new(function);
        self.waiting(CallMode::Raw, move |call| {
            let function = Arc::clone(&function);
            Box::pin(async move {
                let mut states = <&mut [&mut S]>::read(call)?;
                let answers = function(states.lend().argument(), call.requests()).await;
                each(call, answers)
            })
        })
    }

    fn plain<F>(self, call: CallMode, function: F) -> Function
    where
        F: Fn(&Call<'_>) -> Answered + Send + Sync + 'static,
    {
        let function: Arc<Plain> = Arc::new(function);
        self.on(call, move || PlainInstance(Arc::clone(&function)))
    }

    fn waiting<F>(self, call: CallMode, function: F) -> Function
    where
        F: for<'a> Fn(&'a Call<'a>) -> Execution<'a> + Send + Sync + 'static,
    {
        let function: Arc<Waiting> = Arc::new(function);
        self.on(call, move || WaitingInstance(Arc::clone(&function)))
    }

    fn on<I>(self, call: CallMode, instance: impl Fn() -> I + Send + Sync + 'static) -> Function
    where
        I: Instance + 'static,
    {
        let start = self.start;
        let function = Function::new(call, move |context| {
            let starting = Starting {
                instance: instance(),
                start: Arc::clone(&start),
            };
            Ok(Box::new(Sequenced::new(context, starting)))
        });
        Function {
            sequences: true,
            ..function
        }
    }
}

/// A function, and what makes the states that it is called on.
struct Starting<I> {
    instance: I,
    start: Arc<MakeState>,
}

impl<I: Instance> Instance for Starting<I> {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        self.instance.execute(call)
    }

    fn is_async(&self) -> bool {
        self.instance.is_async()
    }
}

impl<I> Starts for Starting<I> {
    fn start(&self, start: &Start<'_>) -> Started {
        (self.start)(start)
    }
}

impl<S> fmt::Debug for PerSequence<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PerSequence")
    }
}
