//! The rules of models with OpenAI routes.

use crate::model::{CallMode, Surface, TensorSpec};
use crate::registry::{Member, RowRule, RowTensor};
use crate::tensor::DataType;

use super::{Flaw, Function, Model};

/// Checks that the OpenAI routes can call the model, if it has any.
pub(super) fn openai(model: &Model, function: &Function) -> Vec<Flaw> {
    match model.options.plain.openai {
        None => Vec::new(),
        Some(surface) if surface.generates_text() => texts(model, function, surface),
        Some(_) => rows(model, function),
    }
}

/// Checks a model that generates text.
fn texts(model: &Model, function: &Function, surface: Surface) -> Vec<Flaw> {
    let (dims, missing) = match surface {
        Surface::Completions => (
            [1],
            "the prompt is missing: write `.input(Input::new::<String>(\"prompt\", [1]))`",
        ),
        _ => (
            [-1],
            "the messages are missing: write `.input(Input::new::<String>(\"messages\", [-1]))`",
        ),
    };
    let text = |of: &TensorSpec, dims| of.datatype == DataType::Bytes && of.dims == dims;
    let mut inputs = model.inputs.iter().map(|input| &input.spec);
    let own = inputs.clone().any(|input| Member::is_own(&input.name));
    let subject = inputs.find(|input| *input.name == *surface.subject());
    let table = [
        (
            !subject.is_some_and(|subject| text(subject, dims) && !subject.optional),
            missing,
        ),
        (
            own,
            "the server handles this member of OpenAI requests itself: rename the input, or remove it",
        ),
        (
            !matches!(&model.outputs[..], [only] if text(&only.spec, [1]) && !only.spec.optional),
            "the only output must be a string: write `.output(Output::new::<String>(\"text\", [1]))`",
        ),
        (
            function.call != CallMode::Request,
            "the OpenAI routes process each request separately: write `PerRequest`",
        ),
        (
            function.sequences,
            "the OpenAI routes do not support sequences: write a function without sequence state",
        ),
    ];
    let broken = table.into_iter().filter(|(broken, _)| *broken);
    broken.map(|(_, help)| Flaw::Conflict { help }).collect()
}

/// Checks a model whose rows are the texts of requests.
fn rows(model: &Model, function: &Function) -> Vec<Flaw> {
    let texts = match model.inputs.is_empty() {
        true => Some(RowRule::Texts),
        false => None,
    };
    let inputs = model.inputs.iter().enumerate();
    let inputs = inputs.map(|(index, input)| {
        row_tensor(&input.spec).input_rule(index == 0, input.first_value.is_some())
    });
    let outputs = model.outputs.iter().enumerate();
    let outputs = outputs.map(|(index, output)| {
        row_tensor(&output.spec).output_rule(index == 0, output.spec.dims.len())
    });
    let vectors = match model.outputs.is_empty() {
        true => Some(RowRule::Vectors),
        false => None,
    };
    let of_function = RowRule::of_function(function.decoupled, function.sequences);
    let rules = inputs
        .chain(outputs)
        .chain([texts, vectors, of_function])
        .flatten();
    let mut violated = Vec::new();
    for rule in rules {
        if !violated.contains(&rule) {
            violated.push(rule);
        }
    }
    let violated = violated.into_iter();
    violated
        .map(|rule| Flaw::Conflict { help: help(rule) })
        .collect()
}

fn row_tensor(of: &TensorSpec) -> RowTensor<'_> {
    RowTensor {
        name: &of.name,
        datatype: of.datatype,
        dims: Some(&of.dims),
        optional: of.optional,
    }
}

const fn help(rule: RowRule) -> &'static str {
    match rule {
        RowRule::Texts => {
            "the first input must be one text per row: write `.input(Input::new::<String>(\"texts\", [1]))`"
        }
        RowRule::Name => {
            "the server handles this member of OpenAI requests itself: rename the input, or remove it"
        }
        RowRule::SingleValues => {
            "every other input must have one value per row: write the dimensions `[1]`"
        }
        RowRule::Vectors => {
            "the first output must be one `f32` vector per text: write `.output(Output::new::<f32>(\"vectors\", [-1]))`"
        }
        RowRule::TokenCounts => {
            "`prompt_tokens` is the number of tokens of each text: write `.output(Output::new::<i64>(\"prompt_tokens\", [1]))`"
        }
        RowRule::OneResponse => "a response has one vector for each text: return a single response",
        RowRule::NoSequences => {
            "the OpenAI routes do not support sequences: write a function without sequence state"
        }
    }
}
