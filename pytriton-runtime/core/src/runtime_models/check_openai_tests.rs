use super::super::{Function, Input, Model, Output, PerRequest, Raw};
use super::tests::{batch, flaws};

#[test]
fn openai_routes_require_a_text_input() {
    use crate::model::Surface::{Chat, Completions};

    let text = || Model::new("Model").output(Output::new::<String>("text", [1]));
    let prompt = || text().input(Input::new::<String>("prompt", [1]));
    let messages = || text().input(Input::new::<String>("messages", [-1]));
    let sample = || Function::new(PerRequest, |_| Ok(Vec::new()));
    let spec = prompt()
        .openai(Completions)
        .registration(&sample())
        .unwrap()
        .spec;
    assert_eq!((spec.openai, spec.max_batch_size), (Some(Completions), 0));
    for (good, function) in [
        (messages().openai(Chat), sample()),
        (
            prompt()
                .openai(Completions)
                .instances(2)
                .batches_in_flight(4),
            sample(),
        ),
    ] {
        assert_eq!(flaws(good, function), Vec::<String>::new());
    }
    let no_prompt = "the prompt is missing: write `.input(Input::new::<String>(\"prompt\", [1]))`";
    let table = [
        (messages().openai(Completions), sample(), no_prompt),
        (
            text()
                .input(Input::new::<i32>("prompt", [1]))
                .openai(Completions),
            sample(),
            no_prompt,
        ),
        (
            prompt().openai(Chat),
            sample(),
            "the messages are missing: write `.input(Input::new::<String>(\"messages\", [-1]))`",
        ),
        (
            prompt()
                .input(Input::new::<String>("stream", [1]))
                .openai(Completions),
            sample(),
            "the server handles this member of OpenAI requests itself: rename the input, or remove it",
        ),
        (
            prompt()
                .output(Output::new::<f32>("y", [1]))
                .openai(Completions),
            sample(),
            "the only output must be a string: write `.output(Output::new::<String>(\"text\", [1]))`",
        ),
        (
            prompt().openai(Completions),
            Function::new(PerRequest.per_sequence(|_, _| Ok(())), |_| Ok(Vec::new())),
            "the OpenAI routes do not support sequences: write a function without sequence state",
        ),
        (
            prompt().openai(Completions),
            Function::new(Raw, |_| Ok(Vec::<Result<Vec<_>, _>>::new())),
            "the OpenAI routes process each request separately: write `PerRequest`",
        ),
        (
            prompt().max_batch_size(4).openai(Completions),
            sample(),
            "`max_batch_size`: this option needs batching, and `#[openai]` processes each request separately: remove it",
        ),
    ];
    for (model, function, expected) in table {
        assert_eq!(flaws(model, function), [expected]);
    }
}

#[test]
fn openai_embeddings_require_texts_and_vectors() {
    use crate::model::Surface::Embeddings;

    let inputs = |model: Model| model.input(Input::new::<String>("sentence", [1]));
    let texts = || inputs(Model::new("Model")).openai(Embeddings);
    let model = || texts().output(Output::new::<f32>("vector", [-1]));
    let spec = model().registration(&batch()).unwrap().spec;
    assert_eq!((spec.openai, spec.max_batch_size), (Some(Embeddings), 4));
    let counted = |count: Output| model().output(count);
    let optional = || Input::new::<i64>("k", [1]).optional();
    for good in [
        counted(Output::new::<i64>("prompt_tokens", [1])),
        model().input(optional()).max_batch_size(7),
    ] {
        assert_eq!(flaws(good, batch()), Vec::<String>::new());
    }
    let no_texts = "the first input must be one text per row: write `.input(Input::new::<String>(\"texts\", [1]))`";
    let no_vectors = "the first output must be one `f32` vector per text: write `.output(Output::new::<f32>(\"vectors\", [-1]))`";
    let no_count = "`prompt_tokens` is the number of tokens of each text: write `.output(Output::new::<i64>(\"prompt_tokens\", [1]))`";
    let own =
        "the server handles this member of OpenAI requests itself: rename the input, or remove it";
    let vector = || Output::new::<f32>("vector", [-1]);
    let named = |name| {
        let texts = Input::new::<String>(name, [1]);
        let model = Model::new("Model").input(texts).output(vector());
        model.openai(Embeddings)
    };
    assert_eq!(flaws(named("input"), batch()), Vec::<String>::new());
    let table = [
        (
            Model::new("Model")
                .input(Input::new::<String>("texts", [-1]))
                .output(vector())
                .openai(Embeddings),
            batch(),
            no_texts,
        ),
        (
            inputs(Model::new("Model").input(optional()))
                .output(vector())
                .openai(Embeddings),
            batch(),
            no_texts,
        ),
        (
            model().input(Input::new::<i64>("dimensions", [1])),
            batch(),
            own,
        ),
        (named("id"), batch(), own),
        (named("parameters"), batch(), own),
        (
            model().input(Input::new::<i64>("k", [2])),
            batch(),
            "every other input must have one value per row: write the dimensions `[1]`",
        ),
        (
            texts().output(Output::new::<f64>("vector", [-1])),
            batch(),
            no_vectors,
        ),
        (
            texts().output(Output::new::<f32>("vector", [2, 2])),
            batch(),
            no_vectors,
        ),
        (
            counted(Output::new::<f32>("prompt_tokens", [1])),
            batch(),
            no_count,
        ),
        (
            model().batching(false),
            Function::new(PerRequest, |_| Ok(Vec::new())),
            "`batching`: `#[openai(embeddings)]` needs a batch axis: remove `batching = false`",
        ),
    ];
    for (model, function, expected) in table {
        assert_eq!(flaws(model, function), [expected]);
    }
}
