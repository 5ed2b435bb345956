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
    context: Context,
    runtime: Handle,
}

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

    /// Runs a batch, some of whose inputs may be stacked already.
    pub(crate) fn execute(&self, requests: &[Request], stacked: &[Option<Tensor>]) -> Executed {
        let block_on = |execution: Execution<'_>| self.block_on(execution);
        let instance = self.instance.as_ref();
        execute_stacked(instance, &self.context, requests, stacked, &block_on)
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
        Ok(Err(other)) => Err(error(other.to_string())),
        Err(panic) => Err(error(panic_message(panic.as_ref()))),
    }
}
