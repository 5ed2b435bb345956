//! Functions with which the programs in `tests/pass` inspect and call their models.

pub mod advice;

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll, Waker};

use pytriton_runtime::call::{Context, Invocation};
use pytriton_runtime::memory_budget::MemoryBudget;
use pytriton_runtime::model::ModelSpec;
use pytriton_runtime::registry::{Registration, Registry};
use pytriton_runtime::request::{
    InferInput, InferRequest, Parameters, Request, Sequence, SequenceId,
};
use pytriton_runtime::tensor::{Element, Tensor};

/// Returns the model of that name in this binary.
///
/// # Panics
///
/// Panics if it does not exist, or if the registry refuses a model.
pub fn spec(name: &str) -> ModelSpec {
    Arc::unwrap_or_clone(registration(name).spec)
}

/// Returns the model and its loader.
///
/// # Panics
///
/// Same as [`spec`].
pub fn registration(name: &str) -> Registration {
    let registry = Registry::collect().unwrap_or_else(|error| panic!("{error}"));
    let mut models = registry.registrations();
    let found = models.find(|model| *model.spec.name == *name).cloned();
    found.unwrap_or_else(|| panic!("no model has the name {name}"))
}

/// Creates a tensor of that shape.
///
/// # Panics
///
/// Panics if the number of elements does not match the shape.
pub fn tensor<T: Element>(shape: &[usize], elements: impl Into<Vec<T>>) -> Tensor {
    let tensor = Tensor::from_elements(shape.to_vec(), elements.into());
    tensor.unwrap_or_else(|error| panic!("{error}"))
}

/// Runs a batch of requests, each a list of inputs, through the first instance of a model.
///
/// # Panics
///
/// Panics if the instance cannot be loaded, or if a request does not match the model.
pub fn infer(name: &str, requests: &[&[(&str, Tensor)]]) -> Vec<Answer> {
    let requests: Vec<_> = requests.iter().map(|inputs| (*inputs, &[][..])).collect();
    infer_with(name, &requests)
}

/// Inputs and parameters.
pub type TestRequest<'a> = (&'a [(&'a str, Tensor)], &'a [(&'a str, &'a str)]);

/// Like [`infer`], with text parameters in addition to the inputs.
///
/// # Panics
///
/// Same as [`infer`].
pub fn infer_with(name: &str, requests: &[TestRequest<'_>]) -> Vec<Answer> {
    let requests = |spec: &Arc<ModelSpec>| {
        let requests = requests.iter();
        requests
            .map(|request| checked(spec, request, None))
            .collect()
    };
    run(name, [requests]).remove(0)
}

/// The outputs of a request, or its error.
pub type Answer = Result<Vec<Tensor>, String>;

/// The ID of a sequence, its flags `start` and `end`, and the inputs.
pub type SequenceRequest<'a> = (&'a str, &'a str, Vec<(&'a str, Tensor)>);

/// Runs batches of sequence requests, one after the other, through the first instance of a model.
///
/// # Panics
///
/// Same as [`infer`].
pub fn infer_sequences(name: &str, batches: &[Vec<SequenceRequest<'_>>]) -> Vec<Vec<Answer>> {
    let batches = batches.iter().map(|batch| {
        |spec: &Arc<ModelSpec>| {
            let requests = batch.iter().map(|(id, flags, inputs)| {
                let id = SequenceId::Text((*id).into());
                let sequence = Sequence::new(id).map(|sequence| {
                    sequence
                        .start(flags.contains("start"))
                        .end(flags.contains("end"))
                });
                checked(spec, &(inputs, &[]), sequence)
            });
            requests.collect()
        }
    });
    run(name, batches)
}

fn run(
    name: &str,
    batches: impl IntoIterator<Item = impl Fn(&Arc<ModelSpec>) -> Vec<Request>>,
) -> Vec<Vec<Answer>> {
    let Registration {
        spec, load, steps, ..
    } = registration(name);
    let context = Context::new(Arc::clone(&spec), 0);
    let instance = load(&context).unwrap_or_else(|error| panic!("{error}"));
    let instance = instance.into_local();
    let invocation = Invocation {
        sink: None,
        instance: instance.as_ref(),
        context: &context,
        steps: &steps,
    };
    let batches = batches.into_iter().map(|batch| {
        let executed = block_on(invocation.execute(&batch(&spec), &[]));
        let outputs = executed.results.into_iter().map(|result| {
            let outputs = result.map_err(|error| error.to_string())?.outputs;
            Ok(outputs
                .into_iter()
                .map(|(_, tensor)| tensor.into_tensor())
                .collect())
        });
        outputs.collect()
    });
    batches.collect()
}

fn checked(
    spec: &Arc<ModelSpec>,
    (inputs, parameters): &TestRequest<'_>,
    sequence: Option<Sequence>,
) -> Request {
    let mut all = Parameters::default();
    for (name, value) in *parameters {
        all.insert(
            *name,
            pytriton_runtime::request::ParameterValue::String((*value).to_owned()),
        );
    }
    let inputs = inputs.iter().map(|(name, tensor)| InferInput {
        name: (*name).to_owned(),
        datatype: tensor.datatype(),
        shape: tensor
            .shape()
            .iter()
            .map(|&dim| i64::try_from(dim).unwrap_or(-1))
            .collect(),
        data: tensor.data().clone(),
    });
    let mut request = InferRequest::new(MemoryBudget::new(usize::MAX).empty_permit());
    request.inputs = inputs.collect();
    request.parameters = all;
    request.sequence = sequence;
    Request::check(spec, request).unwrap_or_else(|error| panic!("{error}"))
}

/// Polls a future to completion. The functions of the programs never wait for other tasks.
fn block_on<T>(execution: impl Future<Output = T>) -> T {
    let mut execution = pin!(execution);
    let mut context = TaskContext::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(returned) = execution.as_mut().poll(&mut context) {
            return returned;
        }
    }
}
