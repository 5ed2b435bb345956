use std::sync::Arc;

use crate::model::{CallMode, TensorSpec, elements_flaw, example_flaw};
use crate::registry::{OwnedOptions, dimension_flaw, tensor_name_flaw};

use super::check_openai::openai;
use super::{Flaw, Function, Model};

/// Checks a model with this function. Returns all mistakes in the order in which models are
/// written. Options and names follow the rules of declared models.
pub(super) fn check(model: &Model, function: &Function) -> Vec<Flaw> {
    let options = &model.options;
    let mut flaws = options.flaws();
    flaws.extend(parameters(options));
    flaws.extend(tensors(
        "input",
        model.inputs.iter().map(|input| &input.spec),
    ));
    flaws.extend(tensors(
        "output",
        model.outputs.iter().map(|output| &output.spec),
    ));
    if model.inputs.is_empty() && options.plain.batching {
        flaws.push(Flaw::NoInput);
    }
    if model.outputs.is_empty() {
        flaws.push(Flaw::NoOutput);
    }
    flaws.extend(instances(model, function));
    flaws.extend(called(model, function));
    flaws.extend(openai(model, function));
    flaws
}

fn parameters(options: &OwnedOptions) -> Vec<Flaw> {
    let parameters = &options.parameters;
    let twice = parameters.iter().enumerate().filter(|(index, (name, _))| {
        let mut before = parameters[..*index].iter();
        before.any(|(other, _)| other == name)
    });
    twice
        .map(|(_, (name, _))| Flaw::ParameterTwice {
            name: Arc::clone(name),
        })
        .collect()
}

fn tensors<'a>(kind: &'static str, tensors: impl Iterator<Item = &'a TensorSpec>) -> Vec<Flaw> {
    let mut flaws = Vec::new();
    let mut before: Vec<&str> = Vec::new();
    for tensor in tensors {
        let name = &tensor.name;
        if let Some(help) = tensor_name_flaw(name) {
            flaws.push(Flaw::TensorName {
                name: Arc::clone(name),
                help,
            });
        }
        if before.contains(&&**name) {
            flaws.push(Flaw::TensorTwice {
                kind,
                name: Arc::clone(name),
            });
        }
        before.push(name);
        if tensor.dims.is_empty() {
            flaws.push(Flaw::NoDims {
                tensor: Arc::clone(name),
            });
        }
        if let Some(help) = elements_flaw(&tensor.dims) {
            flaws.push(Flaw::Elements {
                tensor: Arc::clone(name),
                help,
            });
        }
        let example: Vec<&str> = tensor.example.iter().map(|text| &**text).collect();
        let flaw = example_flaw(tensor.datatype, Some(&tensor.dims), &example);
        if let Some(help) = flaw.filter(|_| !example.is_empty()) {
            flaws.push(Flaw::Elements {
                tensor: Arc::clone(name),
                help,
            });
        }
        flaws.extend(tensor.dims.iter().filter_map(|&dim| {
            Some(Flaw::Dim {
                tensor: Arc::clone(name),
                dim,
                help: dimension_flaw(dim)?,
            })
        }));
    }
    flaws
}

/// Checks that there is a function for each instance.
fn instances(model: &Model, function: &Function) -> Vec<Flaw> {
    let mut flaws = Vec::new();
    let instances = model.options.instances.count();
    match function.loaders.len() {
        0 => flaws.push(Flaw::NoFunction),
        1 => {}
        functions if model.is_set("instances") && instances as usize != functions => {
            flaws.push(Flaw::Functions {
                instances,
                functions,
            });
        }
        _ => {}
    }
    if function.mixed {
        flaws.push(Flaw::MixedFunctions);
    }
    flaws
}

/// Checks that the options match the kind of function.
fn called(model: &Model, function: &Function) -> Vec<Flaw> {
    let (call, options) = (function.call, &model.options.plain);
    let (raw, cached) = (call == CallMode::Raw, options.call_options.response_cache);
    let first_values = model.inputs.iter().any(|input| input.first_value.is_some());
    let ragged = || model.inputs.iter().filter(|input| input.ragged);
    let cost = model.cost_input().map(|index| &model.inputs[index]);
    let table = [
        (
            call == CallMode::Batch && !options.batching,
            "`PerBatch` needs batching: write `PerRequest`, or remove `batching(false)`",
        ),
        (
            first_values && call != CallMode::Batch,
            "`first_value` needs `PerBatch`: use `PerBatch`, or remove `first_value`",
        ),
        (
            first_values && options.sequence_batching.is_some(),
            "the rows of a batch belong to different sequences, which may have different values: remove `first_value`",
        ),
        (
            ragged().count() > 0 && !options.batching,
            "a `ragged` input has rows of several requests: remove `batching(false)`, or remove `ragged`",
        ),
        (
            ragged().count() > 0 && call == CallMode::Request,
            "a `ragged` input has rows of several requests: write `PerBatch` or `Raw`, or remove `ragged`",
        ),
        (
            call == CallMode::Batch && ragged().any(|input| input.spec.dims != [-1]),
            "the rows of a `ragged` input have one dimension of any size: write `[-1]`, or remove `ragged`",
        ),
        (
            ragged().any(|input| input.first_value.is_some()),
            "`first_value` is one value for a whole batch, which has no other rows: remove it, or remove `ragged`",
        ),
        (
            model.is_set("cost") && cost.is_none(),
            "`cost` names no input: write the name of an input",
        ),
        (
            cost.is_some_and(|input| input.first_value.is_some()),
            "`first_value` is one value for a whole batch, so it has no cost: write the name of another input in `cost`",
        ),
        (
            model.is_set("cost") && call == CallMode::Request,
            "`cost` limits the requests of a call, but `PerRequest` has one request per call: use `PerBatch` or `Raw`, or remove `cost`",
        ),
        (
            function.sequences && !model.steps.is_empty(),
            "a step can reorder rows, but not the sequences of the rows: remove `step`",
        ),
        (
            function.decoupled && !model.steps.is_empty(),
            "a step supports one response per request: remove `step`, or return a single response",
        ),
        (
            function.decoupled && cached,
            "`response_cache` stores one response per request: remove it, or return a single response",
        ),
        (
            function.decoupled && options.preserve_ordering,
            "the order of streamed responses is not preserved: remove `preserve_ordering`, or return a single response",
        ),
        (
            options.call_options.inline && function.waits && !function.decoupled,
            "an `inline` call cannot await: remove `inline`, or write a function that is not `async`",
        ),
        (
            options.call_options.inline && function.decoupled,
            "an `inline` call has one response: remove `inline`, or return a single response",
        ),
        (
            options.call_options.inline
                && !function.movable
                && !function.waits
                && !function.sequences,
            "the state of an `inline` function must be `Send`: write `.stateful(…).movable()`, or remove `inline`",
        ),
        (
            options.call_options.inline && model.cancellable,
            "an `inline` call cannot be cancelled: remove `inline`, or remove `cancellable`",
        ),
        (
            raw && !model.steps.is_empty(),
            "a raw function supports no steps: write `PerBatch`, or remove `step`",
        ),
        (
            raw && model.by_parameters,
            "each request of a raw function has its own parameters: remove `by_parameters`, and call `request.parameters()`",
        ),
        (
            cached && model.by_parameters,
            "`response_cache` returns the same response for the same inputs and ignores parameters: remove it, or `by_parameters`",
        ),
        (
            raw && model.by_identity,
            "each request of a raw function has its own client: remove `by_identity`, and call `request.identity()`",
        ),
        (
            cached && model.by_identity,
            "`response_cache` returns the same response for the same inputs to every client: remove it, or `by_identity`",
        ),
        (
            cached && raw,
            "`response_cache` returns the same response for the same inputs, but a raw function can read the parameters: remove it, or write `PerBatch`",
        ),
    ];
    let broken = table.into_iter().filter(|(broken, _)| *broken);
    broken.map(|(_, help)| Flaw::Conflict { help }).collect()
}

#[cfg(test)]
#[path = "check_cost_tests.rs"]
mod cost_tests;
#[cfg(test)]
#[path = "check_openai_tests.rs"]
mod openai_tests;
#[cfg(test)]
#[path = "check_ragged_tests.rs"]
mod ragged_tests;
#[cfg(test)]
#[path = "check_sequences_tests.rs"]
mod sequences_tests;
#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
