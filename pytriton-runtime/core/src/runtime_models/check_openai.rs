//! The rules of models with OpenAI routes.

use crate::model::{CallMode, Surface, TensorSpec};
use crate::registry::{Member, PROMPT_TOKENS};
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
    let single = |of: &TensorSpec| of.dims.iter().all(|dim| *dim == 1);
    let mut inputs = model.inputs.iter();
    let texts = inputs.next();
    // The texts have the name of their input in the requests to the model.
    let own = texts.is_some_and(|input| Member::is_own(&input.spec.name))
        || inputs
            .clone()
            .any(|input| Member::is_own_of_rows(&input.spec.name));
    let texts = texts.filter(|input| input.first_value.is_none() && !input.spec.optional);
    let is_text =
        texts.is_some_and(|input| input.spec.datatype == DataType::Bytes && single(&input.spec));
    let vectors = model.outputs.first().map(|output| &output.spec);
    let has_vectors = vectors.is_some_and(|output| {
        output.datatype == DataType::Fp32 && output.dims.len() == 1 && !output.optional
    });
    let mut counts = model.outputs.iter().map(|output| &output.spec);
    let counts = counts.find(|output| *output.name == *PROMPT_TOKENS);
    let table = [
        (
            !is_text,
            "the first input must be one text per row: write `.input(Input::new::<String>(\"texts\", [1]))`",
        ),
        (
            own,
            "the server handles this member of OpenAI requests itself: rename the input, or remove it",
        ),
        (
            inputs.any(|input| !single(&input.spec)),
            "every other input must have one value per row: write the dimensions `[1]`",
        ),
        (
            !has_vectors,
            "the first output must be one `f32` vector per text: write `.output(Output::new::<f32>(\"vectors\", [-1]))`",
        ),
        (
            counts.is_some_and(|output| output.datatype != DataType::Int64 || output.optional),
            "`prompt_tokens` is the number of tokens of each text: write `.output(Output::new::<i64>(\"prompt_tokens\", [1]))`",
        ),
        (
            function.decoupled,
            "a response has one vector for each text: return a single response",
        ),
        (
            function.sequences,
            "the OpenAI routes do not support sequences: write a function without sequence state",
        ),
    ];
    let broken = table.into_iter().filter(|(broken, _)| *broken);
    broken.map(|(_, help)| Flaw::Conflict { help }).collect()
}
