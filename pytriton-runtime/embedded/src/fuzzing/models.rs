use std::sync::Arc;

use pytriton_core::model::{ModelSpec, Surface};
use pytriton_core::runtime_models::{Function, Input, Model, Output, PerBatch, PerRequest};
use pytriton_protocol::tensor::DataType;

/// A model with an optional input and an output of each datatype, both named after it.
///
/// # Panics
///
/// Panics if the model breaks a rule of the registry, which is a mistake in this function.
pub fn every_datatype() -> Arc<ModelSpec> {
    let mut model = Model::new("Every").max_batch_size(8);
    for datatype in DataType::ALL {
        let name = datatype.name();
        model = model
            .input(Input::of(datatype, name, [-1]).optional())
            .output(Output::of(datatype, name, [-1]));
    }
    spec(&model, &Function::new(PerBatch, |_| Ok(Vec::new())))
}

/// A model whose rows are the texts of OpenAI requests.
///
/// # Panics
///
/// As [`every_datatype`].
pub fn embeddings() -> Arc<ModelSpec> {
    let model = Model::new("Embeddings")
        .openai(Surface::Embeddings)
        .max_batch_size(8)
        .input(Input::of(DataType::Bytes, "texts", [1]))
        .input(Input::of(DataType::Fp32, "scale", [1]).optional())
        .output(Output::of(DataType::Fp32, "vectors", [-1]));
    spec(&model, &Function::new(PerBatch, |_| Ok(Vec::new())))
}

/// A model that generates text behind one of the OpenAI routes.
///
/// # Panics
///
/// As [`every_datatype`].
pub fn texts(surface: Surface) -> Arc<ModelSpec> {
    let subject = match surface {
        Surface::Completions => Input::of(DataType::Bytes, "prompt", [1]),
        _ => Input::of(DataType::Bytes, "messages", [-1]),
    };
    let model = Model::new("Texts")
        .openai(surface)
        .input(subject)
        .input(Input::of(DataType::Fp32, "temperature", [1]).optional())
        .input(Input::of(DataType::Int32, "max_tokens", [1]).optional())
        .output(Output::of(DataType::Bytes, "text", [1]));
    spec(&model, &Function::new(PerRequest, |_| Ok(Vec::new())))
}

fn spec(model: &Model, function: &Function) -> Arc<ModelSpec> {
    match model.clone().registration(function) {
        Ok(registration) => registration.spec,
        Err(flaws) => panic!("{flaws}"),
    }
}
