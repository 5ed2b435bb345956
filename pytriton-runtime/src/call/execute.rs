use std::any::Any;
use std::ops::ControlFlow;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use futures_util::FutureExt;

use crate::panic::discard;
use crate::request::{Request, Response};
use crate::statistics::{Durations, nanoseconds};
use crate::tensor::Tensor;
use crate::text::for_client;

use super::pipeline::{Group, Stacked, prepare, runs};
use super::returned::responses;
use super::{Call, Context, Instance, ModelError, Returned};

/// What became of a batch, or of the requests of one call.
#[derive(Debug, Default)]
pub struct Executed {
    /// One result for each request, in their order.
    pub results: Vec<Result<Response, ModelError>>,
    /// How long the parts took.
    pub durations: Durations,
}

impl Executed {
    /// Adds what became of the requests of the next call.
    pub fn append(&mut self, call: Self) {
        match self.results.is_empty() {
            true => self.results = call.results,
            false => self.results.extend(call.results),
        }
        let Durations {
            compute_input,
            compute_infer,
            compute_output,
        } = call.durations;
        self.durations.compute_input += compute_input;
        self.durations.compute_infer += compute_infer;
        self.durations.compute_output += compute_output;
    }
}

/// Runs a batch of requests through one instance of their model.
///
/// `stacked` are inputs that are stacked already: in the order of the model's inputs, `None` or nothing for those that are
/// not. Panics of the function are caught here and nowhere else.
pub async fn execute(
    instance: &(impl Instance + ?Sized),
    context: &Context,
    requests: &[Request],
    stacked: &[Option<Tensor>],
) -> Executed {
    let mut executed = Executed::default();
    let called = |call| {
        executed.append(call);
        ControlFlow::Continue(())
    };
    // It goes on to the end.
    let _ = execute_calls(instance, context, requests, stacked, called).await;
    executed
}

/// The same, but hands on what became of each call at once, until `called` says that nobody waits for more.
pub(crate) async fn execute_calls(
    instance: &(impl Instance + ?Sized),
    context: &Context,
    requests: &[Request],
    stacked: &[Option<Tensor>],
    mut called: impl FnMut(Executed) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let spec = context.model();
    let mut stacked = Stacked::new(stacked);
    for run in runs(spec, requests) {
        let begun = Instant::now();
        let group = prepare(spec, run, stacked);
        stacked.skip(run);
        let prepared = Instant::now();
        let returned = match group {
            Ok(group) => call(instance, context, group).await,
            Err(error) => Err(error),
        };
        let returned_at = Instant::now();
        let results = match returned {
            Ok(returned) => responses(spec, run, returned),
            Err(error) => vec![Err(error); run.len()],
        };
        let durations = Durations {
            compute_input: nanoseconds(prepared.duration_since(begun)),
            compute_infer: nanoseconds(returned_at.duration_since(prepared)),
            compute_output: nanoseconds(Instant::now().duration_since(returned_at)),
        };
        called(Executed { results, durations })?;
    }
    ControlFlow::Continue(())
}

async fn call(
    instance: &(impl Instance + ?Sized),
    context: &Context,
    group: Group<'_>,
) -> Result<Returned, ModelError> {
    let Some(first) = group.requests.first() else {
        return Ok(Returned::Each(Vec::new()));
    };
    let call = Call {
        context,
        requests: group.requests,
        parameters: first.parameters(),
        inputs: group.inputs,
    };
    let execution = async { instance.execute(&call).await };
    // What a panic leaves behind belongs to the user's function: its own locks are poisoned, ours are not held.
    let returned = AssertUnwindSafe(execution).catch_unwind().await;
    returned.unwrap_or_else(|panic| {
        Err(ModelError::Panic {
            model: Arc::clone(&context.model().name),
            message: caught(panic),
        })
    })
}

/// The text of a panic that has been caught.
pub(crate) fn caught(panic: Box<dyn Any + Send>) -> String {
    let message = for_client(&panic_message(panic.as_ref()));
    discard(panic);
    message
}

/// The text of a panic.
pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a value that is no text".to_owned())
}
