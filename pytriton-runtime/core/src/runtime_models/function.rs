use std::fmt;
use std::sync::Arc;

use futures_util::Stream;

use crate::call::{Call, Context, Execution, LoadedInstance, Loader, ModelError, flow, iterate};
use crate::error::Error;
use crate::model::CallMode;
use crate::request::{Request, Sequence};

use super::instance::{Plain, PlainInstance, Waiting, WaitingInstance};
use super::into_outputs::{call_outputs, each, opened};
use super::{Inputs, IntoOutputs, PerSequence, Stateful};

/// The function of a [`Model`](super::Model): a closure, and which requests one call processes.
///
/// Boxed closures (`Box<dyn Fn(&Inputs<'_>) -> Result<Vec<Tensor>, Error> + Send + Sync>`) are
/// accepted too. An array or `Vec` of functions provides one for each instance.
///
/// # Examples
///
/// ```
/// use ndarray::Ix2;
/// use pytriton_core::runtime_models::Function;
///
/// let double = Function::batch(|inputs| Ok(&inputs.array::<f32, Ix2>("x")? * 2.0));
/// let slow = Function::async_sample(async |inputs| {
///     tokio::time::sleep(std::time::Duration::from_millis(1)).await;
///     Ok(inputs.array::<f32, Ix2>("x")?.into_owned())
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
    /// Whether any of the functions is `async`.
    pub(super) is_async: bool,
    /// Whether any thread may call each instance.
    pub(super) movable: bool,
}

impl Function {
    /// One call for a whole batch, whose rows are stacked along axis 0, like `#[batch]`.
    pub fn batch<F, A>(function: F) -> Self
    where
        F: Fn(&Inputs<'_>) -> Result<A, Error> + Send + Sync + 'static,
        A: IntoOutputs,
    {
        let function = move |call: &Call<'_>| call_outputs(call, function(&Inputs::new(call)));
        Self::plain(CallMode::Batch, Arc::new(function))
    }

    /// One call for each request.
    pub fn sample<F, A>(function: F) -> Self
    where
        F: Fn(&Inputs<'_>) -> Result<A, Error> + Send + Sync + 'static,
        A: IntoOutputs,
    {
        Self {
            call: CallMode::Request,
            ..Self::batch(function)
        }
    }

    /// One call for the unstacked requests of a batch, with one response for each of them.
    pub fn raw<F, A>(function: F) -> Self
    where
        F: Fn(&[Request]) -> Result<Vec<Result<A, Error>>, Error> + Send + Sync + 'static,
        A: IntoOutputs,
    {
        let function = move |call: &Call<'_>| each(call, function(call.requests()));
        Self::plain(CallMode::Raw, Arc::new(function))
    }

    /// Like [`batch`](Self::batch), with any number of responses, each sent as soon as it is
    /// produced (a decoupled model). An error ends the responses.
    ///
    /// # Examples
    ///
    /// ```
    /// use ndarray::Ix2;
    /// use pytriton_core::runtime_models::Function;
    ///
    /// let halves = Function::batch_iter(|inputs| {
    ///     let x = inputs.array::<f32, Ix2>("x")?.into_owned();
    ///     Ok((0..3).map(move |times| Ok(&x / 2.0_f32.powi(times))))
    /// });
    /// ```
    pub fn batch_iter<F, I, A>(function: F) -> Self
    where
        F: Fn(&Inputs<'_>) -> Result<I, Error> + Send + Sync + 'static,
        I: IntoIterator<Item = Result<A, Error>>,
        A: IntoOutputs,
    {
        let function = move |call: &Call<'_>| {
            let items = opened(call, function(&Inputs::new(call)))?;
            iterate(call, items, |item| call_outputs(call, item))
        };
        Self::plain(CallMode::Batch, Arc::new(function)).decoupled()
    }

    /// Like [`batch_iter`](Self::batch_iter), with one call for each request.
    pub fn sample_iter<F, I, A>(function: F) -> Self
    where
        F: Fn(&Inputs<'_>) -> Result<I, Error> + Send + Sync + 'static,
        I: IntoIterator<Item = Result<A, Error>>,
        A: IntoOutputs,
    {
        Self {
            call: CallMode::Request,
            ..Self::batch_iter(function)
        }
    }

    /// Like [`batch_iter`](Self::batch_iter). While the stream waits, its instance executes other
    /// batches in flight.
    pub fn batch_stream<F, S, A>(function: F) -> Self
    where
        F: Fn(&Inputs<'_>) -> Result<S, Error> + Send + Sync + 'static,
        S: Stream<Item = Result<A, Error>>,
        A: IntoOutputs,
    {
        let function = Arc::new(function);
        let waiting = Self::waiting(CallMode::Batch, move |call| {
            let function = Arc::clone(&function);
            Box::pin(async move {
                let items = opened(call, function(&Inputs::new(call)))?;
                flow(call, items, |item| call_outputs(call, item)).await
            })
        });
        waiting.decoupled()
    }

    /// Like [`batch_stream`](Self::batch_stream), with one call for each request.
    pub fn sample_stream<F, S, A>(function: F) -> Self
    where
        F: Fn(&Inputs<'_>) -> Result<S, Error> + Send + Sync + 'static,
        S: Stream<Item = Result<A, Error>>,
        A: IntoOutputs,
    {
        Self {
            call: CallMode::Request,
            ..Self::batch_stream(function)
        }
    }

    /// Like [`batch`](Self::batch). While the function waits, its instance executes other batches
    /// in flight.
    pub fn async_batch<F, A>(function: F) -> Self
    where
        F: AsyncFn(&Inputs<'_>) -> Result<A, Error> + Send + Sync + 'static,
        A: IntoOutputs,
    {
        let function = Arc::new(function);
        Self::waiting(CallMode::Batch, move |call| {
            let function = Arc::clone(&function);
            Box::pin(async move { call_outputs(call, function(&Inputs::new(call)).await) })
        })
    }

    /// Like [`sample`](Self::sample), but `async`.
    pub fn async_sample<F, A>(function: F) -> Self
    where
        F: AsyncFn(&Inputs<'_>) -> Result<A, Error> + Send + Sync + 'static,
        A: IntoOutputs,
    {
        Self {
            call: CallMode::Request,
            ..Self::async_batch(function)
        }
    }

    /// Like [`raw`](Self::raw), but `async`.
    pub fn async_raw<F, A>(function: F) -> Self
    where
        F: AsyncFn(&[Request]) -> Result<Vec<Result<A, Error>>, Error> + Send + Sync + 'static,
        A: IntoOutputs,
    {
        let function = Arc::new(function);
        Self::waiting(CallMode::Raw, move |call| {
            let function = Arc::clone(&function);
            Box::pin(async move { each(call, function(call.requests()).await) })
        })
    }

    /// A function with a state. `load` creates the state on the thread of each instance, so it need
    /// not be `Send`.
    pub fn stateful<L, S>(load: L) -> Stateful<S>
    where
        L: Fn(&Context) -> Result<S, Error> + Send + Sync + 'static,
        S: 'static,
    {
        Stateful::new(load)
    }

    /// A function with a state for each sequence. `start` creates the state when the sequence
    /// starts.
    pub fn per_sequence<F, S>(start: F) -> PerSequence<S>
    where
        F: Fn(&Sequence, &Context) -> Result<S, Error> + Send + Sync + 'static,
        S: 'static,
    {
        PerSequence::new(start)
    }

    fn decoupled(self) -> Self {
        Self {
            decoupled: true,
            ..self
        }
    }

    /// Returns the kind of call, whether it takes states of sequences, and whether it is decoupled.
    fn kind(&self) -> (CallMode, bool, bool) {
        (self.call, self.sequences, self.decoupled)
    }

    fn plain(call: CallMode, function: Arc<Plain>) -> Self {
        let function = Self::new(call, move |_| {
            let instance = PlainInstance(Arc::clone(&function));
            Ok(LoadedInstance::Movable(Box::new(instance)))
        });
        Self {
            movable: true,
            ..function
        }
    }

    fn waiting<F>(call: CallMode, function: F) -> Self
    where
        F: for<'a> Fn(&'a Call<'a>) -> Execution<'a> + Send + Sync + 'static,
    {
        let function: Arc<Waiting> = Arc::new(function);
        let function = Self::new(call, move |_| {
            let instance = WaitingInstance(Arc::clone(&function));
            Ok(LoadedInstance::Movable(Box::new(instance)))
        });
        Self {
            movable: true,
            is_async: true,
            ..function
        }
    }

    pub(super) fn new<L>(call: CallMode, load: L) -> Self
    where
        L: Fn(&Context) -> Result<LoadedInstance, ModelError> + Send + Sync + 'static,
    {
        Self {
            call,
            loaders: vec![Arc::new(load)],
            mixed: false,
            sequences: false,
            decoupled: false,
            is_async: false,
            movable: false,
        }
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
            is_async: functions.iter().any(|function| function.is_async),
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
