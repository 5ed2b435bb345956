//! Models with OpenAI routes.

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use futures_util::Stream;
use futures_util::stream::{self, StreamExt};
use pytriton::openai::{FinishReason, Messages, Piece, Usage};
use pytriton::prelude::*;

/// Repeats a prompt letter by letter.
#[pytriton::model(name = "Letters", instances = 4)]
#[openai(completions)]
fn letters(prompt: String, max_tokens: Option<u32>) -> impl Iterator<Item = Piece> {
    let letters: Vec<String> = prompt.chars().map(String::from).collect();
    let count = u32::try_from(letters.len()).unwrap_or(u32::MAX);
    let most = max_tokens.unwrap_or(u32::MAX).min(count);
    let reason = match most < count {
        true => FinishReason::Length,
        false => FinishReason::Stop,
    };
    let usage = Usage::new(count, most);
    let last = Piece::default().finished(reason).used(usage);
    let letters = letters
        .into_iter()
        .take(usize::try_from(most).unwrap_or(usize::MAX));
    letters.map(Piece::from).chain([last])
}

/// Returns all of its arguments in one response.
#[pytriton::model(name = "Members")]
#[openai(completions)]
#[expect(
    clippy::too_many_arguments,
    reason = "a function may take as many members as a request has"
)]
fn members(
    prompt: String,
    max_completion_tokens: Option<i64>,
    temperature: Option<f32>,
    top_p: Option<f64>,
    seed: Option<i64>,
    stop: Option<Vec<String>>,
    echo: Option<bool>,
    user: Option<String>,
    top_k: Option<u8>,
) -> String {
    format!(
        "{prompt:?} {max_completion_tokens:?} {temperature:?} {top_p:?} {seed:?} {stop:?} {echo:?} {user:?} {top_k:?}"
    )
}

/// Returns its parameters as JSON: numbers and booleans unchanged, texts in quotes.
#[pytriton::model(name = "Besides")]
#[openai(completions)]
fn besides(prompt: String, parameters: &Parameters) -> String {
    drop(prompt);
    let pairs = parameters.iter().map(|(name, value)| match value {
        ParameterValue::String(text) => format!("{name:?}:{text:?}"),
        value => format!("{name:?}:{value}"),
    });
    format!("{{{}}}", pairs.collect::<Vec<_>>().join(","))
}

/// Requires a temperature.
#[pytriton::model(name = "Demanding")]
#[openai(completions)]
fn demanding(prompt: String, temperature: f32) -> String {
    format!("{prompt} {temperature}")
}

/// Fails after the number of pieces in its prompt.
#[pytriton::model(name = "FailingText", instances = 2)]
#[openai(completions)]
fn failing_text(prompt: String) -> Result<impl Iterator<Item = Result<String, String>>, String> {
    let at: usize = prompt
        .parse()
        .map_err(|_| format!("{prompt:?} is no number"))?;
    Ok((0..=at).map(move |number| match number == at {
        false => Ok(format!("{number} ")),
        true => Err(format!("no piece {number}")),
    }))
}

static COUNTING: AtomicU32 = AtomicU32::new(0);

/// An active count.
struct Counting;

impl Counting {
    fn new() -> Self {
        COUNTING.fetch_add(1, Ordering::SeqCst);
        Self
    }
}

impl Drop for Counting {
    fn drop(&mut self) {
        COUNTING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Counts without end, with the given number of milliseconds between numbers.
#[pytriton::model(name = "Counting", batches_in_flight = 64)]
#[openai(completions)]
fn counting(prompt: String) -> impl Stream<Item = String> {
    let pause = Duration::from_millis(prompt.parse().unwrap_or(10));
    let counting = Counting::new();
    stream::iter(0..).then(move |number: u64| {
        let _ = &counting;
        async move {
            tokio::time::sleep(pause).await;
            format!("{number} ")
        }
    })
}

/// The number of active counts.
#[pytriton::model(name = "Counted")]
#[openai(completions)]
fn counted(prompt: String) -> String {
    drop(prompt);
    COUNTING.load(Ordering::SeqCst).to_string()
}

/// Repeats the messages.
#[pytriton::model(name = "Said", instances = 2)]
#[openai(chat)]
fn repeat_messages(messages: Messages) -> impl Iterator<Item = String> {
    messages.into_iter().map(|message| {
        let name = message.name.unwrap_or_default();
        format!("{}{name}: {}\n", message.role, message.content)
    })
}

/// Responds with one piece that contains everything, or fails.
#[pytriton::model(name = "Whole")]
#[openai(chat)]
fn single_piece(messages: Messages) -> Result<Piece, String> {
    let last = messages.last().map(|message| message.content.as_str());
    match last {
        Some("fail") => Err("as it was told".to_owned()),
        Some("panic") => panic!("as it was told"),
        last => Ok(Piece::from(last.unwrap_or_default())
            .finished(FinishReason::ContentFilter)
            .used(Usage::new(1, 2))),
    }
}

/// Sends its pieces from another thread.
#[pytriton::model(name = "Sender", batches_in_flight = 8)]
#[openai(chat)]
async fn sender(messages: Messages, responses: &Responses<Piece>) -> Result<(), Cancelled> {
    for message in &messages {
        let content = message.content.clone();
        let piece = tokio::task::spawn_blocking(move || {
            thread::sleep(Duration::from_millis(1));
            Piece::from(content)
        });
        responses.send(piece.await.unwrap_or_default()).await?;
    }
    Ok(())
}
