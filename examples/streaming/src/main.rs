//! Generates text word by word, like a language model: any number of responses per request, over
//! the KServe protocol and the OpenAI API.
//!
//! The model is small but real: it knows which word follows which three others. Each instance
//! learns them from the licence of this repository when it starts. Call it with curl:
//!
//! ```sh
//! curl -N localhost:8000/v1/completions \
//!   -d '{"model": "Writer", "prompt": "You may", "max_tokens": 12, "stream": true}'
//! curl -N localhost:8000/v2/models/Writer/generate_stream \
//!   -d '{"prompt": "You may", "max_tokens": 12}'
//! ```

mod text;

use pytriton::openai::{FinishReason, Messages, Piece, Role, Usage};
use pytriton::prelude::*;

use text::Words;

/// The maximum number of words.
const MAX_WORDS: u32 = 1000;

struct Writer {
    words: Words,
}

/// Continues a text.
#[pytriton::model(name = "Writer", instances = 2)]
impl Writer {
    #[load]
    fn learn() -> Self {
        let words = Words::learn();
        Self { words }
    }

    #[infer]
    #[openai(completions)]
    fn write(
        &self,
        #[input(example = "You may")] prompt: String,
        max_tokens: Option<u32>,
        seed: Option<i64>,
    ) -> Result<impl Iterator<Item = Piece>, String> {
        pieces(&self.words, &prompt, max_tokens, seed)
    }
}

struct Companion {
    words: Words,
}

/// Continues the last message.
#[pytriton::model(name = "Companion", instances = 2)]
impl Companion {
    #[load]
    fn learn() -> Self {
        let words = Words::learn();
        Self { words }
    }

    #[infer]
    #[openai(chat)]
    fn talk(
        &self,
        messages: Messages,
        max_tokens: Option<u32>,
        seed: Option<i64>,
    ) -> Result<impl Iterator<Item = Piece>, String> {
        let mut newest_first = messages.iter().rev();
        let last = newest_first.find(|message| message.role == Role::User);
        let last = last.map(|message| message.content.as_str());
        pieces(&self.words, last.unwrap_or_default(), max_tokens, seed)
    }
}

/// Returns the generated words one by one, followed by the finish reason.
fn pieces<'w>(
    words: &'w Words,
    before: &str,
    most: Option<u32>,
    seed: Option<i64>,
) -> Result<impl Iterator<Item = Piece> + use<'w>, String> {
    let most = most.unwrap_or(20);
    if most > MAX_WORDS {
        return Err(format!(
            "max_tokens must be at most {MAX_WORDS}, not {most}"
        ));
    }
    let prompt_tokens = u32::try_from(before.split_whitespace().count()).unwrap_or(u32::MAX);
    let mut behind = words.behind(before, seed.unwrap_or(1).unsigned_abs());
    let mut written = 0;
    let mut ended = false;
    Ok(std::iter::from_fn(move || {
        if ended {
            return None;
        }
        if let Some(word) = (written < most).then(|| behind.next()).flatten() {
            written += 1;
            return Some(Piece::from(format!(" {word}")));
        }
        ended = true;
        let reason = match written < most {
            true => FinishReason::Stop,
            false => FinishReason::Length,
        };
        let usage = Usage::new(prompt_tokens, written);
        Some(Piece::default().finished(reason).used(usage))
    }))
}

pytriton::main!();
