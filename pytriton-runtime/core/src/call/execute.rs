use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::time::Instant;

use futures_util::FutureExt;

use crate::decorators::{Batch, Step, first_row};
use crate::model::FirstValue;
use crate::request::{Request, Response, SmallVec, function_scope};
use crate::statistics::{Durations, nanoseconds};
use crate::tracked_tensor::TrackedTensor;

use super::client_panic::client_panic_message;
use super::decoded::DecodedInputs;
use super::grouped_batch::GroupedBatch;
use super::memory::arguments;
use super::pipeline::{Stacked, gather, runs, valid_requests};
use super::response_sinks::{Destination, ResponseSinks};
use super::returned::responses;
use super::sequence_entry::State;
use super::sequences::{CallStates, StateProvider};
use super::shared_error::SharedError;
use super::steps::{LocalFuture, run_steps};
use super::{Call, CallResult, Context, Instance, ModelError, ResponseSink, Returned};

/// The results of a batch, or of one call.
#[derive(Debug, Default)]
pub struct Executed {
    /// One result for each request, in order.
    pub results: SmallVec<Result<Response, ModelError>>,
    /// The durations of the phases.
    pub durations: Durations,
}

impl Executed {
    /// Appends the results of the next call.
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

/// An instance and the steps around its function.
#[derive(Debug)]
pub struct Invocation<'a, I: ?Sized> {
    /// The instance.
    pub instance: &'a I,
    /// The context of the instance.
    pub context: &'a Context,
    /// The steps of the model.
    pub steps: &'a [Arc<dyn Step>],
    /// The destination of the responses of a decoupled model.
    pub sink: Option<&'a Arc<dyn ResponseSink>>,
}

/// The parts of a call other than its inputs: the destination of the responses, the states of the
/// sequences, and whether the function was called.
type CallResources<'a> = (
    Option<Destination>,
    Option<&'a [RefCell<State>]>,
    &'a Cell<bool>,
);

impl<I: Instance + ?Sized> Invocation<'_, I> {
    /// Executes a batch of requests.
    ///
    /// `stacked` contains inputs that are already stacked, in the order of the model, with `None`
    /// for others. It may be empty. Panics of the function are caught here, and panics of steps
    /// where the steps are called.
    pub async fn execute(
        &self,
        requests: &[Request],
        stacked: &[Option<TrackedTensor>],
    ) -> Executed {
        let grouped = GroupedBatch::new(self.context.model(), requests, stacked);
        let mut executed = Executed::default();
        let called = |call| {
            executed.append(call);
            ControlFlow::Continue(())
        };
        // The closure never breaks, so all calls are executed.
        let _ = self.execute_calls(&grouped, called).await;
        grouped.restore(executed)
    }

    /// Like [`execute`](Self::execute), but reports the result of each call immediately, until
    /// `called_back` breaks.
    ///
    /// Requests that stack are executed in one call. If the call is refused before the function is
    /// called, the requests are executed again, so that only the invalid one fails. If an element
    /// cannot be decoded, only its request is executed separately, otherwise each request is.
    pub async fn execute_calls(
        &self,
        batch: &GroupedBatch<'_>,
        mut called_back: impl FnMut(Executed) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let spec = self.context.model();
        let mut stacked = Stacked::new(batch.stacked);
        let mut provider = StateProvider::new(self.instance.sequences());
        let mut rest = &*batch.requests;
        // How many of the next requests are executed separately.
        let mut separate = 0_usize;
        // Whether elements are validated before requests share a call.
        let mut validate = spec.validates_first;
        while !rest.is_empty() {
            let run = match separate {
                0 => runs(spec, rest, !batch.stacked.is_empty()).next(),
                _ => rest.get(..1),
            };
            let Some(run) = run else { break };
            let begun = Instant::now();
            let budget = self.context.budget();
            let run = match validate {
                true => valid_requests(run, budget),
                false => run,
            };
            let first = batch.requests.len() - rest.len();
            let (run, call_states) = provider.acquire(self.context, run);
            let gathered = gather(spec, run, &stacked, budget);
            let prepared = Instant::now();
            let destination = self.sink.map(|sink| Destination {
                sinks: ResponseSinks {
                    sink: Arc::clone(sink),
                    indexes: batch.original_indexes(first, run.len()),
                },
                open: Arc::default(),
            });
            let sinks = destination.as_ref().map(|to| to.sinks.clone());
            let called = Cell::new(false);
            let flaw = run.first().and_then(Request::flaw);
            let returned = match (&call_states, gathered, flaw) {
                (Err(error), ..) => Err(error.clone()),
                (_, _, Some(error)) => Err(error.clone().into()),
                (Ok(call_states), Ok(gathered), None) => {
                    let states = call_states.as_ref().map(CallStates::states);
                    let resources = (destination, states, &called);
                    self.invoke(run, gathered, resources).await
                }
                (_, Err(error), None) => Err(error),
            };
            // A request is invalid and the function was not called.
            if run.len() > 1 && !called.get() && Returned::is_refused(&returned) {
                match validate || spec.decoded_inputs.is_empty() {
                    true => separate = run.len(),
                    false => validate = true,
                }
                provider.reclaim(call_states.unwrap_or_default());
                continue;
            }
            separate = separate.saturating_sub(1);
            rest = &rest[run.len()..];
            if !rest.is_empty() {
                stacked.skip(run);
            }
            let returned_at = Instant::now();
            if let Ok(Some(call_states)) = call_states {
                call_states.release(run, &returned);
            }
            let health = self.context.health();
            let panics = spec.call_options.unrecoverable_panics;
            // A request with rows in several groups receives only one of their errors.
            for error in returned.iter().flat_map(Returned::errors) {
                health.note(error, panics);
            }
            let results = match returned {
                Ok(returned) => responses(spec, run, returned, budget),
                Err(error) => SharedError::new(spec, error, run.len()).results(),
            };
            // Update the health first, so that clients that receive the error do not see a ready
            // model.
            for error in results.iter().filter_map(|result| result.as_ref().err()) {
                health.note(error, panics);
            }
            // Later calls may never end, so this one is ended now. The last one is ended with its
            // batch.
            if let Some(sinks) = sinks.filter(|_| spec.decoupled && !rest.is_empty()) {
                sinks.end(&results);
            }
            let durations = Durations {
                compute_input: nanoseconds(prepared.duration_since(begun)),
                compute_infer: nanoseconds(returned_at.duration_since(prepared)),
                compute_output: nanoseconds(Instant::now().duration_since(returned_at)),
            };
            if called_back(Executed { results, durations }).is_break() {
                provider.refuse(rest);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    async fn invoke<'a>(
        &'a self,
        requests: &'a [Request],
        batch: Batch<'a>,
        resources: CallResources<'a>,
    ) -> CallResult {
        if self.steps.is_empty() {
            return self.call(requests, batch, resources).await;
        }
        let streamed = self.context.model().decoupled;
        let call =
            |batch| Box::pin(self.call(requests, batch, resources.clone())) as LocalFuture<'a, _>;
        let mut groups = run_steps(self.steps, batch, &call).await;
        match streamed {
            false => Ok(Returned::RowGroups(groups)),
            true => {
                let panics = self.context.model().call_options.unrecoverable_panics;
                let mut errors = groups.drain(..).filter_map(|group| group.outputs.err());
                match errors.next() {
                    None => Ok(Returned::Streamed),
                    Some(first) if first.is_unrecoverable(panics) => Err(first),
                    // A fatal error takes precedence.
                    Some(first) => Err(errors
                        .find(|error| error.is_unrecoverable(panics))
                        .unwrap_or(first)),
                }
            }
        }
    }

    async fn call<'a>(
        &'a self,
        requests: &'a [Request],
        batch: Batch<'a>,
        (destination, states, called): CallResources<'a>,
    ) -> CallResult {
        let Some(first) = requests.first() else {
            return Ok(Returned::Each(Vec::new()));
        };
        let spec = self.context.model();
        let (mut inputs, offsets) = batch.into_inputs();
        for &FirstValue { input, strict } in &spec.first_values {
            if let Some(tensor) = &inputs[input] {
                let row = first_row(spec, input, tensor, strict)?;
                inputs.to_mut()[input] = Some(row);
            }
        }
        let memory = RefCell::new(arguments(self.context, requests)?);
        let call = Call {
            context: self.context,
            requests,
            parameters: first.parameters(),
            inputs,
            offsets,
            states,
            destination,
            called,
            refused: Cell::new(false),
            decoded: DecodedInputs::default(),
            memory,
        };
        let scope = function_scope(spec, self.context.instance(), requests);
        let panicked = |panic| {
            Err(ModelError::Panic {
                model: Arc::clone(&spec.name),
                message: client_panic_message(panic),
            })
        };
        let returned = {
            let execution = pin!(async {
                match self.instance.execute_at_once(&call) {
                    Some(answered) => answered,
                    None => self.instance.execute(&call).await,
                }
            });
            // A panic can only leave the user's state inconsistent. No lock of this crate is held
            // during the call.
            let execution = AssertUnwindSafe(scope.around(execution)).catch_unwind();
            execution.await.unwrap_or_else(panicked)
        };
        // Invalid inputs and a lack of memory for them are reported before the function is called.
        // Every other result is the function's.
        if !call.is_refused(&returned) {
            call.note_called();
        }
        // The call contains elements of the user's types, whose destructors may panic.
        let dropped = catch_unwind(AssertUnwindSafe(|| drop(call)));
        let panics = spec.call_options.unrecoverable_panics;
        let returned = match (returned, dropped.err().map(panicked)) {
            (Err(error), Some(_)) if error.is_unrecoverable(panics) => Err(error),
            (returned, panic) => panic.unwrap_or(returned),
        };
        returned.inspect_err(|error| scope.fail(error))
    }
}
