use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::{self, Poll, Waker};

use tokio::runtime::Handle;

use crate::model::{
    Context, Executed, Execution, Instance, ModelError, Request, Returned, execute_stacked,
    panic_message,
};
use crate::tensor::Tensor;

/// A loaded instance of a model on the thread where it lives, so that its state need not be `Send` and its function may
/// block.
#[derive(Debug)]
pub(crate) struct Host {
    instance: Box<dyn Instance>,
    place: Place,
}

/// A function without a state, for any thread.
#[derive(Debug)]
pub(crate) struct Detached {
    instance: Box<dyn Instance + Send>,
    place: Place,
}

/// Whatever runs batches of one model.
pub(crate) trait Run {
    /// Runs a batch, some of whose inputs may be stacked already.
    fn run(&self, requests: &[Request], stacked: &[Option<Tensor>]) -> Executed;
}

/// What an instance runs with: its context, and the runtime that drives `async` functions.
#[derive(Debug, Clone)]
struct Place {
    context: Context,
    runtime: Handle,
}

impl Host {
    /// Loads an instance; `async` functions will be driven by `runtime`.
    pub(crate) fn load(context: Context, runtime: Handle) -> Result<Self, ModelError> {
        let place = Place { context, runtime };
        let instance = place.load()?;
        Ok(Self { instance, place })
    }

    /// The same for any thread, where the function has no state.
    #[cfg(target_os = "linux")]
    pub(crate) fn detached(&self) -> Option<Detached> {
        let instance = self.instance.detached()?;
        let place = self.place.clone();
        Some(Detached { instance, place })
    }
}

impl Run for Host {
    fn run(&self, requests: &[Request], stacked: &[Option<Tensor>]) -> Executed {
        self.place.run(self.instance.as_ref(), requests, stacked)
    }
}

impl Run for Detached {
    fn run(&self, requests: &[Request], stacked: &[Option<Tensor>]) -> Executed {
        self.place.run(self.instance.as_ref(), requests, stacked)
    }
}

impl Place {
    fn load(&self) -> Result<Box<dyn Instance>, ModelError> {
        let model = self.context.model();
        let error = |message| ModelError::Load {
            model: model.name,
            instance: self.context.instance(),
            message,
        };
        let _runtime = self.runtime.enter();
        match catch_unwind(AssertUnwindSafe(|| (model.load)(&self.context))) {
            Ok(Ok(instance)) => Ok(instance),
            Ok(Err(ModelError::Function { message, .. })) => Err(error(message)),
            Ok(Err(loading @ ModelError::Load { .. })) => Err(loading),
            Ok(Err(other)) => Err(error(other.to_string())),
            Err(panic) => Err(error(panic_message(panic.as_ref()))),
        }
    }

    fn run(
        &self,
        instance: &dyn Instance,
        requests: &[Request],
        stacked: &[Option<Tensor>],
    ) -> Executed {
        let block_on = |execution: Execution<'_>| self.block_on(execution);
        let executed = execute_stacked(instance, &self.context, requests, stacked, &block_on);
        if let Some(error) = executed
            .results
            .iter()
            .find_map(|result| result.as_ref().err())
        {
            self.log(error);
        }
        executed
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

    /// Drives a call to its end.
    ///
    /// A function that is not `async` is done at its first poll, which must not look like a runtime's own thread:
    /// blocking clients refuse to work there.
    fn block_on(&self, execution: Execution<'_>) -> Result<Returned, ModelError> {
        let mut execution = pin!(execution);
        let first = {
            let _runtime = self.runtime.enter();
            let mut context = task::Context::from_waker(Waker::noop());
            execution.as_mut().poll(&mut context)
        };
        match first {
            Poll::Ready(returned) => returned,
            Poll::Pending => self.runtime.block_on(execution),
        }
    }
}
