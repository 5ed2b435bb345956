use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::time::Instant;

use futures_util::FutureExt;

use crate::statistics::Durations;
use crate::tensor::Tensor;
use crate::text::for_client;

use super::pipeline::{Group, Stacked, prepare, runs};
use super::returned::responses;
use super::{Call, Context, Instance, ModelError, Request, Response, Returned};

/// What became of a batch.
#[derive(Debug)]
pub struct Executed {
    /// One result for each request, in their order.
    pub results: Vec<Result<Response, ModelError>>,
    /// How long the parts took.
    pub durations: Durations,
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
    let spec = context.model();
    let mut stacked = Stacked::new(stacked);
    let mut executed = Executed {
        results: Vec::with_capacity(requests.len()),
        durations: Durations::default(),
    };
    let durations = &mut executed.durations;
    for run in runs(spec, requests) {
        let begun = Instant::now();
        let group = prepare(spec, run, stacked);
        stacked.skip(run);
        let prepared = Instant::now();
        let returned = match group {
            Ok(group) => call(instance, context, group).await,
            Err(error) => Err(error),
        };
        let called = Instant::now();
        match returned {
            Ok(returned) => executed.results.extend(responses(spec, run, returned)),
            Err(error) => executed
                .results
                .extend(run.iter().map(|_| Err(error.clone()))),
        }
        durations.compute_input += nanoseconds(begun, prepared);
        durations.compute_infer += nanoseconds(prepared, called);
        durations.compute_output += nanoseconds(called, Instant::now());
    }
    executed
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
            model: context.model().name,
            message: for_client(&panic_message(panic.as_ref())),
        })
    })
}

/// The text of a panic.
pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a value that is no text".to_owned())
}

fn nanoseconds(from: Instant, to: Instant) -> u64 {
    u64::try_from(to.duration_since(from).as_nanos()).unwrap_or(u64::MAX)
}
