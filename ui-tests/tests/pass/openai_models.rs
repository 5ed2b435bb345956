#![deny(warnings)]
use std::borrow::Cow;

use futures_util::stream::{self, Stream};
use pytriton::openai::{FinishReason, Messages, Piece};
use pytriton::prelude::*;
use pytriton_ui_tests::spec;

#[pytriton::model(name = "words")]
#[openai(completions)]
fn words(
    prompt: String,
    max_tokens: Option<i64>,
    temperature: Option<f32>,
    stop: Option<Vec<String>>,
    context: &Context,
) -> impl Iterator<Item = String> {
    let text = format!(
        "{prompt}{max_tokens:?}{temperature:?}{stop:?}{}",
        context.instance()
    );
    std::iter::once(text)
}

#[pytriton::model(name = "chat", batching = false)]
#[openai(chat)]
fn chat(messages: Messages, max_completion_tokens: Option<u32>) -> impl Stream<Item = Piece> {
    let messages = messages.into_iter();
    let most = max_completion_tokens.map_or(usize::MAX, |most| most as usize);
    stream::iter(
        messages
            .take(most)
            .map(|message| Piece::from(message.content)),
    )
}

#[pytriton::model(name = "fallible")]
#[pytriton::openai(completions)]
async fn fallible(
    prompt: String,
    seed: i64,
) -> Result<impl Iterator<Item = Result<Piece, String>>, Box<dyn std::error::Error>> {
    let last = Piece::from(prompt).finished(FinishReason::Length);
    let number: usize = seed.try_into()?;
    Ok(std::iter::repeat_n(Ok(last), number))
}

#[pytriton::model(name = "once")]
#[openai(completions)]
fn once(prompt: String, _parameters: &Parameters) -> Result<Cow<'static, str>, String> {
    match prompt.is_empty() {
        true => Err("nothing".to_owned()),
        false => Ok("something".into()),
    }
}

#[pytriton::model(name = "sent")]
#[openai(chat)]
fn sent(messages: Messages, responses: &Responses<Piece>) -> Result<(), Cancelled> {
    for message in &messages {
        responses.blocking_send(Piece::from(message.role.name()))?;
    }
    Ok(())
}

/// The prelude does not hide a crate with the name `openai`, which `main.rs` declares.
mod shadowed_crate {
    use openai::mem::take;
    use pytriton::prelude::*;

    #[pytriton::model(name = "beside")]
    #[openai(completions)]
    fn shadowed_crate(prompt: String) -> String {
        let mut prompt = prompt;
        take(&mut prompt)
    }
}

struct Loaded(&'static str);

#[pytriton::model(name = "told")]
impl Loaded {
    #[load]
    fn load() -> Self {
        Self("told")
    }

    #[infer]
    #[openai(completions)]
    fn infer(&self, prompt: String) -> String {
        format!("{prompt}{}", self.0)
    }
}

pub(crate) fn main() {
    let words = spec("words");
    assert!(words.decoupled && !words.batching());
    let inputs: Vec<_> = words
        .inputs
        .iter()
        .map(|input| (&*input.name, &*input.dims, input.optional))
        .collect();
    assert_eq!(
        inputs,
        [
            ("prompt", &[1][..], false),
            ("max_tokens", &[1], true),
            ("temperature", &[1], true),
            ("stop", &[-1], true),
        ]
    );
    assert_eq!(
        (&*words.outputs[0].name, &*words.outputs[0].dims),
        ("text", &[1][..])
    );
    assert_eq!(
        spec("sent").openai.map(|surface| surface.path()),
        Some("/v1/chat/completions")
    );
    assert!(!spec("once").decoupled);
}
