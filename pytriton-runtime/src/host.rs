use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::task::{self, Poll, Waker};

use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::runtime::Handle;

use crate::model::{Context, Executed, Instance, ModelError, Request, execute, panic_message};
use crate::tensor::Tensor;
use crate::text::for_client;

/// A loaded instance of a model on the thread where it lives, so that its state need not be `Send` and its function may
/// block.
#[derive(Debug)]
pub(crate) struct Host<I: Instance + ?Sized = dyn Instance> {
    instance: Box<I>,
    context: Context,
    /// Drives `async` functions.
    runtime: Handle,
}

/// A function without a state, for any thread.
#[cfg(target_os = "linux")]
pub(crate) type Detached = Host<dyn Instance + Send>;

impl Host {
    /// Loads an instance; `async` functions will be driven by `runtime`.
    pub(crate) fn load(context: Context, runtime: Handle) -> Result<Self, ModelError> {
        let instance = load(&context, &runtime)?;
        Ok(Self {
            instance,
            context,
            runtime,
        })
    }

    /// The same for any thread, where the function has no state.
    #[cfg(target_os = "linux")]
    pub(crate) fn detached(&self) -> Option<Detached> {
        Some(Host {
            instance: self.instance.detached()?,
            context: self.context.clone(),
            runtime: self.runtime.clone(),
        })
    }

    /// Runs one batch after the other, at most so many side by side, until there are no more.
    ///
    /// A function that is not `async` is done at its first poll, so that its batches run one after the other.
    pub(crate) fn run_all<B>(
        &self,
        side_by_side: usize,
        next: impl AsyncFn() -> Option<B>,
        run: impl AsyncFn(B),
    ) {
        let mut running = FuturesUnordered::new();
        while let Some(batch) = (self.runtime).block_on(upcoming(&mut running, side_by_side, &next))
        {
            let mut execution = Box::pin(run(batch));
            if self.first_poll(execution.as_mut()).is_pending() {
                running.push(execution);
            }
        }
        self.runtime.block_on(running.collect::<()>());
    }
}

impl<I: Instance + ?Sized> Host<I> {
    /// Runs a batch, some of whose inputs may be stacked already.
    pub(crate) async fn execute(
        &self,
        requests: &[Request],
        stacked: &[Option<Tensor>],
    ) -> Executed {
        let executed = execute(self.instance.as_ref(), &self.context, requests, stacked).await;
        let mut results = executed.results.iter();
        if let Some(error) = results.find_map(|result| result.as_ref().err()) {
            self.log(error);
        }
        executed
    }

    /// Drives the execution of a batch to its end.
    #[cfg(target_os = "linux")]
    pub(crate) fn block_on<T>(&self, execution: impl Future<Output = T>) -> T {
        let mut execution = pin!(execution);
        match self.first_poll(execution.as_mut()) {
            Poll::Ready(done) => done,
            Poll::Pending => self.runtime.block_on(execution),
        }
    }

    /// Polls an execution, which need not look like a runtime's own thread: blocking clients refuse to work there.
    fn first_poll<T>(&self, execution: Pin<&mut impl Future<Output = T>>) -> Poll<T> {
        let _runtime = self.runtime.enter();
        execution.poll(&mut task::Context::from_waker(Waker::noop()))
    }

    /// One line for a batch that failed. What the client did wrong it is told; a panic is logged where it happens.
    fn log(&self, error: &ModelError) {
        let logger = self.context.logger();
        match error {
            ModelError::Input { .. }
            | ModelError::DifferentValues { .. }
            | ModelError::Panic { .. } => tracing::debug!(parent: logger, %error, "batch failed"),
            _ => tracing::warn!(parent: logger, %error, "batch failed"),
        }
    }
}

fn load(context: &Context, runtime: &Handle) -> Result<Box<dyn Instance>, ModelError> {
    let model = context.model();
    let error = |message| ModelError::Load {
        model: model.name,
        instance: context.instance(),
        message,
    };
    let _runtime = runtime.enter();
    match catch_unwind(AssertUnwindSafe(|| (model.load)(context))) {
        Ok(Ok(instance)) => Ok(instance),
        Ok(Err(ModelError::Function { message, .. })) => Err(error(message)),
        Ok(Err(loading @ ModelError::Load { .. })) => Err(loading),
        Ok(Err(other)) => Err(error(other.to_string())),
        Err(panic) => Err(error(for_client(&panic_message(panic.as_ref())))),
    }
}

/// The next batch, as soon as there is a place for it; what is running goes on meanwhile.
///
/// Nobody waits for a batch while what is running is polled: it may take long, and the batch would wait with it although
/// another instance is free.
async fn upcoming<B>(
    running: &mut FuturesUnordered<impl Future<Output = ()>>,
    side_by_side: usize,
    next: impl AsyncFn() -> Option<B>,
) -> Option<B> {
    while running.len() >= side_by_side {
        running.next().await;
    }
    let mut waiting = pin!(None);
    poll_fn(|task| {
        let mut idle = running.is_empty();
        loop {
            if waiting.is_none() {
                waiting.set(Some(next()));
            }
            let found = waiting.as_mut().as_pin_mut().map(|next| next.poll(task));
            match found {
                Some(Poll::Ready(batch)) => return Poll::Ready(batch),
                _ if idle => return Poll::Pending,
                _ => waiting.set(None),
            }
            idle = running.poll_next_unpin(task).is_pending() || running.is_empty();
        }
    })
    .await
}
