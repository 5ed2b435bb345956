//! Calls of run-time functions without a server.

use std::mem::{replace, take};
use std::sync::Arc;
use std::task::{Context as Task, Poll};

use parking_lot::Mutex;

use crate::call::{Cancelled, Context, Invocation, ModelError, ResponseSink, block_on};
use crate::request::{Request, Response, Sequence, SequenceId};
use crate::testing::infer_request;

use super::{Function, Input, Model, Output};

/// The first element of each response, or the error.
pub(super) type Responses = Vec<Result<f32, String>>;

/// A model with the input `INPUT_1` and the output `y`.
pub(super) fn model() -> Model {
    Model::new("Model")
        .input(Input::new::<f32>("INPUT_1", [-1]))
        .output(Output::new::<f32>("y", [-1]))
}

/// Calls a function with each batch. A request is a sequence, or 0 for none, and its value. Returns
/// the responses to each request of all batches.
pub(super) fn responses(
    model: Model,
    function: &Function,
    batches: &[&[(u64, f32)]],
) -> Vec<Responses> {
    responses_to(model, function, batches, false)
}

/// Like [`responses`], to clients that may have disconnected.
pub(super) fn responses_to(
    model: Model,
    function: &Function,
    batches: &[&[(u64, f32)]],
    cancelled: bool,
) -> Vec<Responses> {
    let model = model.registration(function).unwrap();
    let context = Context::new(Arc::clone(&model.spec), 0);
    let instance = (model.load)(&context).unwrap().into_local();
    let mut begun = Vec::new();
    let calls = batches.iter().map(|batch| {
        let requests = batch.iter().map(|&(sequence, value)| {
            let mut request = infer_request(1, value);
            let starts = !begun.contains(&sequence);
            begun.push(sequence);
            let id = SequenceId::Number(sequence);
            request.sequence = match sequence {
                0 => None,
                _ => Sequence::new(id).map(|sequence| sequence.start(starts)),
            };
            Request::check(&model.spec, request).unwrap()
        });
        let requests: Vec<_> = requests.collect();
        let sink = Arc::new(Sink {
            requests: Mutex::new(vec![Sent::default(); requests.len()]),
            cancelled,
        });
        let shared: Arc<dyn ResponseSink> = Arc::<Sink>::clone(&sink);
        let invocation = Invocation {
            instance: &*instance,
            context: &context,
            steps: &model.steps,
            sink: (model.spec.decoupled || model.spec.cancellable).then_some(&shared),
        };
        let executed = block_on(invocation.execute(&requests, &[]));
        for (request, result) in executed.results.into_iter().enumerate() {
            let result = result.map(|response| {
                if !model.spec.decoupled {
                    let response = Ok(first(&response));
                    sink.requests.lock()[request].responses.push(response);
                }
            });
            sink.finish(request, result);
        }
        let requests = take(&mut *sink.requests.lock());
        requests.into_iter().map(|sent| sent.responses)
    });
    calls.flatten().collect()
}

#[derive(Debug)]
struct Sink {
    requests: Mutex<Vec<Sent>>,
    cancelled: bool,
}

/// The responses to a request.
#[derive(Debug, Clone, Default)]
struct Sent {
    responses: Responses,
    ended: bool,
}

impl ResponseSink for Sink {
    fn poll_send(
        &self,
        request: usize,
        response: &mut Option<Result<Response, ModelError>>,
        _: &mut Task<'_>,
    ) -> Poll<Result<(), Cancelled>> {
        let sent = &mut self.requests.lock()[request];
        if self.cancelled || sent.ended {
            return Poll::Ready(Err(Cancelled));
        }
        let response = response.take().map(|response| match response {
            Ok(response) => Ok(first(&response)),
            Err(error) => Err(error.to_string()),
        });
        sent.responses.extend(response);
        Poll::Ready(Ok(()))
    }

    /// Records the first end.
    fn finish(&self, request: usize, end: Result<(), ModelError>) {
        let sent = &mut self.requests.lock()[request];
        if !replace(&mut sent.ended, true) {
            sent.responses
                .extend(end.err().map(|error| Err(error.to_string())));
        }
    }

    fn is_cancelled(&self, _: usize) -> bool {
        self.cancelled
    }
}

/// Returns the first element of the first output, plus the response parameter `plus`.
fn first(response: &Response) -> f32 {
    let plus = response.parameters.int("plus").unwrap_or_default();
    let element = response.outputs[0].1.elements::<f32>().unwrap()[0];
    element + f32::from(i8::try_from(plus).unwrap())
}
